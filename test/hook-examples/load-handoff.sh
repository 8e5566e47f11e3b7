#!/bin/bash
# load-handoff.sh -- Triggered when a new session starts
PAYLOAD=$(cat)

AGENT_NAME=$(echo "$PAYLOAD" | jq -r '.session.agent_name')
IS_CONTINUATION=$(echo "$PAYLOAD" | jq -r '.session.is_continuation')
WORKING_DIR=$(echo "$PAYLOAD" | jq -r '.session.working_directory')

# Only load handoff context for continuation sessions
if [ "$IS_CONTINUATION" != "true" ]; then
  exit 0
fi

HANDOFF_FILE="$WORKING_DIR/specs/handoffs/$AGENT_NAME-handoff.json"
if [ -f "$HANDOFF_FILE" ]; then
  echo "# Continuation Context"
  echo ""
  echo "You are continuing work from a previous session that ran out of context space."
  echo ""
  echo "## Handoff Information"
  cat "$HANDOFF_FILE"
  echo ""
  echo "## Instructions"
  echo "Check \`git log --oneline -20\` and \`git diff\` to understand what was done."
  echo "Continue from where the previous session left off."
  echo ""

  # Clean up the handoff file
  rm "$HANDOFF_FILE"
fi
