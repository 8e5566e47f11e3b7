// Records the demo as it runs in a real terminal and draws docs/demo.svg from it. Needs `script` of util-linux.
import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { drawPicture } from "./picture/drawing.ts";
import { tellingFrames } from "./picture/moments.ts";
import { record } from "./picture/recording.ts";
import { screensOf } from "./picture/terminal.ts";

const SIZE = { columns: 120, rows: 24 };
const baton = fileURLToPath(new URL("../bin/baton.js", import.meta.url));
const picture = fileURLToPath(new URL("../docs/demo.svg", import.meta.url));

const output = await record([process.execPath, baton, "demo"], SIZE);
const svg = drawPicture(tellingFrames(screensOf(output, SIZE)), SIZE);
await writeFile(picture, svg);
console.log(`${picture}  ${Math.round(svg.length / 1024)} KB`);
