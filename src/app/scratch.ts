export { scratchFolder } from "../files/scratch.ts";
