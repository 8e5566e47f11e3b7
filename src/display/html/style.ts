import { Html } from "./html.ts";

export const STYLE = new Html(`
:root{color-scheme:light dark;--bg:#f7f7f5;--panel:#fff;--line:#e3e3de;--text:#1b2024;--soft:#4f5a64;--fill:#8d99a4;--accent:#7443d6;--warn:#8a5d00;--bad:#b92c35;--good:#1b6e3c;--added:#e3f4e8;--removed:#fbe7e7}
@media(prefers-color-scheme:dark){:root{--bg:#0e1316;--panel:#141a1e;--line:#242d33;--text:#e6ebef;--soft:#a8b4bd;--fill:#5c6b77;--accent:#b48cff;--warn:#dfae45;--bad:#f0797c;--good:#5fc48a;--added:#14301f;--removed:#371b1d}}
*{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--text);font:13px/1.45 system-ui,sans-serif;font-variant-numeric:tabular-nums}
main{max-width:1180px;margin:auto;padding:24px 16px}
h1{font-size:20px;margin:0;overflow-wrap:anywhere}h2{font-size:15px;margin:32px 0 8px}
a{color:inherit}nav a{margin-right:16px}
pre,code,.diff{font:12px/1.5 ui-monospace,Menlo,Consolas,monospace}
pre{white-space:pre-wrap;overflow-wrap:anywhere;margin:0}
.soft{color:var(--soft)}.notice{border-left:3px solid var(--warn);padding:8px 12px;background:var(--panel)}
svg{width:100%;min-width:680px;height:auto;background:var(--panel);border:1px solid var(--line);border-radius:10px;padding:16px;margin:16px 0}
svg text{font:11px system-ui,sans-serif;fill:var(--soft)}svg .strong{fill:var(--text);font-weight:600}
svg .violet,svg .diamond{fill:var(--accent)}.lane{fill:var(--bg)}.area{fill:var(--fill);opacity:.34}.curve{fill:none;stroke:var(--soft);stroke-width:1.6}
.mark{stroke:var(--accent);stroke-width:1.5;stroke-dasharray:1 4;stroke-linecap:round}.gap{fill:var(--warn);opacity:.35}.dot{fill:var(--soft)}
.box,body main>details{background:var(--panel);border:1px solid var(--line);border-radius:10px;overflow:hidden}
body main>details{margin-bottom:8px}summary{cursor:pointer;padding:6px 12px;overflow-wrap:anywhere}
.event{display:grid;grid-template-columns:40px 16px minmax(0,1fr) auto;gap:8px;padding:3px 12px;overflow-wrap:anywhere}
.words{white-space:pre-wrap}.event b{font-weight:550}.sign{text-align:center;color:var(--soft)}
.event.baton .words,.event.baton b{color:var(--soft);font-weight:400}.event.tool b{font:12px/1.5 ui-monospace,Menlo,Consolas,monospace}
.event.handoff .sign,.event.handoff .words{color:var(--accent)}.event.caution b{color:var(--warn)}.event.good b{color:var(--good)}.event.bad b,.event.bad .sign{color:var(--bad)}
.call>summary{list-style:none;padding:3px 12px}.call>summary::-webkit-details-marker{display:none}.call>summary:hover{background:var(--bg)}
.size::after{content:" ▸"}.call[open] .size::after{content:" ▾"}.call>pre,.call>p{margin:0 12px 8px 76px}
.call>pre{padding:8px 12px;background:var(--bg);border:1px solid var(--line);border-radius:6px;max-height:420px;overflow:auto}
.day{padding:8px 12px 4px;color:var(--soft);font-size:11px}.box{padding:4px 0}
.line{display:grid;grid-template-columns:44px 44px minmax(0,1fr);white-space:pre-wrap;overflow-wrap:anywhere}
.line i{color:var(--soft);font-style:normal;text-align:right;padding-right:8px}.line span{padding-left:16px;text-indent:-16px}
.line span::before{content:" ";display:inline-block;width:16px;text-indent:0;color:var(--soft)}
.line.added span::before{content:"+"}.line.removed span::before{content:"−"}.plus{color:var(--good)}.minus{color:var(--bad)}
.line.added{background:var(--added)}.line.removed{background:var(--removed)}.line.hunk,.line.note{color:var(--soft)}
.scrolls{overflow-x:auto}table{border-collapse:collapse;width:100%}td,th{border-bottom:1px solid var(--line);padding:6px 12px 6px 0;text-align:left;font-weight:400}th{color:var(--soft);font-size:11px}.num{text-align:right}table{margin-bottom:24px}
@media print{details:not([open])>*{display:block}}
`);
