import { createClient } from "../../src/client.ts";

/** The one door to the server. */
export const api = createClient();
