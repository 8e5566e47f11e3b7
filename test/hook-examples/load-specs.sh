#!/bin/bash
# on_session_start hook: load handoff document if it exists
CONTEXT_PAYLOAD=$(cat)  # Read JSON from stdin
AGENT_NAME=$(echo "$CONTEXT_PAYLOAD" | jq -r '.session.agent_name')
SPECS_DIR="./specs/handoffs"

HANDOFF_FILE="$SPECS_DIR/$AGENT_NAME-handoff.md"
if [ -f "$HANDOFF_FILE" ]; then
  cat "$HANDOFF_FILE"
  rm "$HANDOFF_FILE"  # Clean up after loading
fi
