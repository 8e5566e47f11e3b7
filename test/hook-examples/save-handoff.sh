#!/bin/bash
# save-handoff.sh -- Triggered when context window is nearly full
PAYLOAD=$(cat)

AGENT_NAME=$(echo "$PAYLOAD" | jq -r '.session.agent_name')
JOB_ID=$(echo "$PAYLOAD" | jq -r '.session.job_id')
WORKING_DIR=$(echo "$PAYLOAD" | jq -r '.session.working_directory')
USAGE_PCT=$(echo "$PAYLOAD" | jq -r '.context.usage_percent')

HANDOFF_DIR="$WORKING_DIR/specs/handoffs"
mkdir -p "$HANDOFF_DIR"

# Write a handoff marker file. The agent will see this in its next session
# and can read it for continuity.
cat > "$HANDOFF_DIR/$AGENT_NAME-handoff.json" <<EOF
{
  "agent": "$AGENT_NAME",
  "job_id": "$JOB_ID",
  "usage_percent": $USAGE_PCT,
  "timestamp": "$(date -u +%Y-%m-%dT%H:%M:%SZ)",
  "instructions": "Continue the work from the previous session. Check git log for recent changes."
}
EOF

echo "Handoff saved to $HANDOFF_DIR/$AGENT_NAME-handoff.json"
# Exit 0 = success, hook executor will proceed to start a new session
