import { encodeBase64 } from '@colophon/encoding';
import { digestOf } from '@colophon/records';
import { FIGURES } from '../report/report-details.ts';
import { Html } from './html.ts';

/** The class of the rows that a figure counts, and the id of the place that shows them alone. */
export function figureClass(index: number): string {
  return `c${index}`;
}

// Following a link to a figure's place hides every row that the figure does not count: a filter without a script.
const FILTERS = FIGURES.map((_, index) => `#f${index}:target~.list .cve:not(.${figureClass(index)})`).join(',');

const STYLE = `
:root{color-scheme:light dark;--paper:#fdfdfc;--card:#f6f6f3;--ink:#1d2126;--muted:#5c646d;--rule:#dfe1e3;--link:#1f5582;
--critical:#8f1d3c;--high:#c25a1b;--medium:#b58a17;--low:#6f8696;--good:#2c7a55;--late:#c25a1b;--bad:#8f1d3c;--none:#76829a;--wait:#b58a17;
--high-ink:#ad4d12;--medium-ink:#86670c;--low-ink:#586e7d;--none-ink:#626e86}
@media screen and (prefers-color-scheme:dark){:root{--paper:#15181c;--card:#1d2126;--ink:#e4e6e8;--muted:#9ba4ad;--rule:#333a41;--link:#86bbe8;
--critical:#e06a88;--high:#e8925a;--medium:#d9b650;--low:#8fa6b6;--good:#62b88f;--late:#e8925a;--bad:#e06a88;--none:#9aa6bd;--wait:#d9b650;
--high-ink:#e8925a;--medium-ink:#d9b650;--low-ink:#8fa6b6;--none-ink:#9aa6bd}}
*{box-sizing:border-box}
html{scroll-padding-top:1rem}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.55 system-ui,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;font-variant-numeric:tabular-nums;overflow-wrap:anywhere}
main,header.top,footer{max-width:64rem;margin:0 auto;padding:0 1.5rem}
header.top{padding-top:3rem}
h1{font-size:1.9rem;line-height:1.2;font-weight:650;letter-spacing:-.015em;margin:0 0 .35rem}
h2{font-size:1.2rem;font-weight:650;margin:3rem 0 .4rem;padding-top:1.1rem;border-top:1px solid var(--rule)}
h3{font-size:1rem;font-weight:650;margin:1.6rem 0 .4rem}
p{margin:.4rem 0 .8rem;max-width:46rem}
a{color:var(--link);text-underline-offset:.15em;text-decoration-thickness:1px}
a:focus-visible{outline:2px solid var(--link);outline-offset:2px;border-radius:2px}
code,.mono{font:.86em ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
.muted,.field{color:var(--muted)}
.field{font:.75rem ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;overflow-wrap:anywhere}
.lead{color:var(--muted);margin:0 0 .2rem}
.skip{position:absolute;left:-99rem}.skip:focus{left:1rem;top:1rem;background:var(--paper);padding:.5rem}
.heads{display:grid;grid-template-columns:repeat(auto-fit,minmax(13rem,1fr));gap:.9rem;margin:1.8rem 0 0;padding:0;list-style:none}
.heads li{background:var(--card);border:1px solid var(--rule);border-radius:.5rem;padding:.9rem 1.1rem}
.heads .number{display:block;font-size:2rem;font-weight:600;line-height:1.25;letter-spacing:-.02em}
.heads .number a{color:inherit;text-decoration-color:var(--rule)}
.heads .number a:hover{text-decoration-color:currentColor}
.heads small{display:block;color:var(--muted);font-size:.85rem}
.warn{color:var(--bad)}
table{border-collapse:collapse;width:100%;margin:.6rem 0 1rem;font-size:.92rem}
caption{text-align:left;color:var(--muted);font-size:.85rem;padding-bottom:.3rem}
th,td{text-align:left;vertical-align:top;padding:.42rem .9rem .42rem 0;border-bottom:1px solid var(--rule)}
th{font-weight:600}thead th{overflow-wrap:normal}
thead th{color:var(--muted);font-size:.8rem;font-weight:500}
.n{text-align:right;white-space:nowrap}
.figures{table-layout:fixed}.figures .field{display:block}.figures thead th{width:11.5rem}.figures thead th.n{width:5.5rem}.figures thead th+th+th{width:auto}
.history td:nth-child(-n+3){width:21%}.history td{font-size:.86rem}td.field{white-space:nowrap}td.field,td.mono{font-size:.74rem;padding-top:.62rem}td.mono{white-space:nowrap;letter-spacing:-.02em}.sla{width:auto;min-width:36rem}
.wide{overflow-x:auto}
figure{margin:1rem 0 .4rem}
svg{display:block;width:100%;max-width:46rem;height:auto}
svg text{fill:var(--ink);font-size:13px}
svg .soft{fill:var(--muted)}
svg .track{fill:var(--rule)}
svg .mark{stroke:var(--ink);stroke-width:2}
svg a:hover text{text-decoration:underline}
.legend{display:flex;flex-wrap:wrap;gap:.2rem 1.4rem;list-style:none;margin:.5rem 0 0;padding:0;font-size:.9rem}
.legend svg{display:inline-block;width:.7rem;height:.7rem;margin-right:.45rem}
.critical{fill:var(--critical)}.high{fill:var(--high)}.medium{fill:var(--medium)}.low{fill:var(--low)}
.good{fill:var(--good)}.late{fill:var(--late)}.bad{fill:var(--bad)}.none{fill:var(--none)}.wait{fill:var(--wait)}
.tag{display:inline-block;border:1px solid currentColor;border-radius:.8rem;padding:0 .5rem;font-size:.78rem;line-height:1.35rem;white-space:nowrap}
.t-critical,.t-bad{color:var(--critical)}.t-high,.t-late{color:var(--high-ink)}.t-medium,.t-wait{color:var(--medium-ink)}.t-low{color:var(--low-ink)}.t-good{color:var(--good)}.t-none{color:var(--none-ink)}
.filter{display:none;background:var(--card);border:1px solid var(--rule);border-radius:.5rem;padding:.6rem .9rem;margin:.6rem 0}
.filter:target{display:block}
${FILTERS}{display:none}
.list{content-visibility:auto;contain-intrinsic-size:auto 60rem}
.list table{table-layout:fixed;margin:0}.list .k1{width:18%}.list .k2{width:13%}.list .k3{width:13%}.list .k4{width:15%}.list .k5{width:9%}
article{border-top:1px solid var(--rule);padding:1rem 0 .4rem;content-visibility:auto;contain-intrinsic-size:auto 44rem}
article h3{margin:.1rem 0 .5rem}
article:target h3,.cve:target th{background:var(--card);box-shadow:-.4rem 0 0 var(--link)}
dl{display:grid;grid-template-columns:repeat(auto-fill,minmax(14rem,1fr));gap:.55rem 1.4rem;margin:.5rem 0 .8rem;font-size:.92rem}
dt{color:var(--muted);font:.75rem ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
dd{margin:0;overflow-wrap:anywhere}
.rules{display:block}.rules dt{font:inherit;font-weight:600;color:var(--ink);margin-top:.7rem}
.pages{columns:20rem;list-style:none;margin:0;padding:0;font-size:.9rem}
footer{margin-top:3rem;padding-top:1rem;padding-bottom:3rem;color:var(--muted);font-size:.85rem}
@media screen and (max-width:52rem){main,header.top,footer{padding-left:1rem;padding-right:1rem}header.top{padding-top:1.5rem}
.figures,.figures tbody{display:block}.figures thead{display:none}.figures tr{display:grid;grid-template-columns:1fr auto;padding:.4rem 0;border-bottom:1px solid var(--rule)}
.figures th,.figures td{border:0;padding:.05rem 0}.figures td:last-child{grid-column:1/-1}
.sla{min-width:0;width:100%}.sla th,.sla td{padding-right:.5rem}.sla .tag{padding:0 .3rem}.figures caption{display:block}
.list table,.list tbody,.list tr,.list th,.list td,.wide table,.wide tbody,.wide tr,.wide td{display:block;width:auto}.list colgroup,.list thead,.wide thead{display:none}
.list tr,.wide tr{padding:.5rem 0;border-bottom:1px solid var(--rule)}.list th,.list td,.wide td,.history td:nth-child(-n+3){border:0;padding:.05rem 0;width:auto}td.field,td.mono{white-space:normal}
.list td.n{text-align:left}.list td.n:not(:empty)::after{content:" days"}.list td:nth-child(3)::before{content:"discovered "}}
@media screen and (max-width:42rem){svg text{font-size:22px}}
@media print{@page{margin:16mm}table{font-size:9pt}th,td{padding-right:.5rem}td.mono{white-space:normal}.sla{min-width:0}.tag{white-space:normal;padding:0 .3rem;font-size:.7rem}:root{color-scheme:light}body{font-size:10.5pt;background:none}a{color:inherit;text-decoration:none}
.skip{display:none}h2{break-after:avoid}tr,article dl,.heads li,figure{break-inside:avoid}.list,article{content-visibility:visible}.heads{grid-template-columns:repeat(4,1fr)}}
`;

/** What a page may load and do: its own style, and nothing else. */
const POLICY = `default-src 'none'; style-src 'sha256-${base64OfHex(digestOf(new TextEncoder().encode(STYLE)).slice('sha256:'.length))}'; base-uri 'none'; form-action 'none'`;

/** The head of every page, but for its title. */
export const HEAD = new Html(
  `<meta charset="utf-8">\n<meta http-equiv="Content-Security-Policy" content="${POLICY}">\n<meta name="viewport" content="width=device-width,initial-scale=1">\n<meta name="color-scheme" content="light dark">\n<meta name="referrer" content="no-referrer">\n<style>${STYLE}</style>`,
);

function base64OfHex(hex: string): string {
  return encodeBase64(Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16)));
}
