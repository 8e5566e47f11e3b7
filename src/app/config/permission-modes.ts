export { PERMISSION_MODES } from "../../config/config.ts";
