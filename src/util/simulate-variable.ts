/** What `baton simulate` sets for the command that it runs: how to run another one against the same scenario. */
export const SIMULATE_VARIABLE = "BATON_SIMULATE";
