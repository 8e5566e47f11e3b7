export { configSchema } from "../../config/keys/files.ts";
