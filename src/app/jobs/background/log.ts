export { logOf } from "../../../jobs/background-log.ts";
