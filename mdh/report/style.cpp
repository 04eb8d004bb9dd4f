#include "mdh/report/style.h"

namespace mdh::report {

const char* style() {
  return R"css(:root { color-scheme: light dark;
  --page: #f5f6f8; --paper: #ffffff; --ink: #1b2230; --soft: #566072; --faint: #7d8798;
  --line: #e3e7ed; --accent: #2563eb; --final: #c2410c; --bad: #dc2626; --good: #047857;
  --threads: #7c3aed; --loop: #2563eb; --registers: #c2410c; --lanes: #0f766e; --whole: #7d8798;
  --copy: #a16207; --accumulator: #be185d; --blocks: #4338ca; --warps: #a21caf; }
@media (prefers-color-scheme: dark) { :root {
  --page: #11151c; --paper: #191f29; --ink: #e6eaf1; --soft: #aab3c2; --faint: #8490a3;
  --line: #2c3442; --accent: #7aa7ff; --final: #fb923c; --bad: #f87171; --good: #4ade80;
  --threads: #b794f6; --loop: #7aa7ff; --registers: #fb923c; --lanes: #2dd4bf; --whole: #8490a3;
  --copy: #eab308; --accumulator: #f472b6; --blocks: #a5b4fc; --warps: #e879f9; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", "DejaVu Sans", Arial, sans-serif; }
main { max-width: 1080px; margin: 0 auto; padding: 28px 20px 40px; }
header, section { background: var(--paper); border: 1px solid var(--line); border-radius: 10px;
  padding: 22px 26px; margin: 0 0 18px; }
.kind { margin: 0; color: var(--faint); font-size: 13px; }
h1 { margin: 0; font-size: 30px; line-height: 1.25; overflow-wrap: anywhere; }
h2 { margin: 0 0 4px; font-size: 19px; }
.problem { margin: 2px 0 18px; color: var(--soft); overflow-wrap: anywhere; }
.note { margin: 0 0 14px; color: var(--soft); font-size: 14px; max-width: 86ch; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(190px, 1fr)); gap: 12px; }
.tile { border: 1px solid var(--line); border-radius: 8px; padding: 12px 16px; }
.tile b { display: block; font-size: 22px; line-height: 1.3; }
.tile span { color: var(--soft); font-size: 13px; }
dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(290px, 1fr)); gap: 8px 28px;
  margin: 20px 0 0; }
dt { color: var(--faint); font-size: 12.5px; }
dd { margin: 0; overflow-wrap: anywhere; }
table { border-collapse: collapse; width: 100%; margin: 18px 0 0; font-size: 14px; }
th { text-align: left; font-weight: 600; color: var(--soft); font-size: 13px; }
th, td { padding: 6px 14px 6px 0; border-bottom: 1px solid var(--line); vertical-align: top; }
.number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
.reason { width: 68%; color: var(--soft); overflow-wrap: anywhere; font-size: 13px; }
.bar { width: 34%; padding-right: 0; vertical-align: middle; }
.bar i { display: block; height: 12px; min-width: 2px; border-radius: 3px; background: var(--loop); }
.bar i.time { background: var(--lanes); } .bar i.sum { background: var(--ink); }
.bar i.measured { background: var(--good); } .bar i.least { background: var(--faint); }
.least td, .sum td { color: var(--soft); } .sum td { font-weight: 600; }
.figure { overflow-x: auto; } .figure table { min-width: 560px; } .figure svg { display: block; width: 100%; min-width: 680px;
  height: auto; }
.legend { margin: 0 0 8px; color: var(--soft); font-size: 13px; }
.legend i { display: inline-block; margin: 0 6px 0 18px; vertical-align: middle; }
.legend i:first-child { margin-left: 0; }
.dot { width: 9px; height: 9px; border-radius: 50%; background: var(--accent); }
.dot.final { background: var(--final); }
.stroke { width: 20px; height: 0; border-top: 2px solid var(--good); }
.stroke.untuned { border-top: 2px dashed var(--faint); }
.stroke.failed { width: 3px; height: 12px; border: 0; background: var(--bad); }
.swatch { width: 12px; height: 12px; border-radius: 3px; }
.swatch.blocks { background: var(--blocks); } .swatch.warps { background: var(--warps); }
.swatch.threads { background: var(--threads); } .swatch.loop { background: var(--loop); }
.swatch.registers { background: var(--registers); } .swatch.lanes { background: var(--lanes); }
.swatch.copy { background: var(--copy); } .swatch.accumulator { background: var(--accumulator); }
svg text { font-family: inherit; fill: var(--ink); font-size: 12px; }
svg .label { paint-order: stroke; stroke: var(--paper); stroke-width: 4px; stroke-linejoin: round; }
svg .place + .label, svg .card + .label { stroke: none; }
svg .tick { fill: var(--faint); } svg .axis-title { fill: var(--soft); font-size: 13px; }
svg .soft { fill: var(--soft); } svg .strong { font-weight: 600; font-size: 13px; }
svg .grid { stroke: var(--line); } svg .axis { stroke: var(--faint); }
svg .trial { fill: var(--accent); fill-opacity: .6; } svg .of-final { fill: var(--final); }
svg .failure { fill: var(--bad); }
svg .best-so-far { fill: none; stroke: var(--good); stroke-width: 2; }
svg .untuned { stroke: var(--faint); stroke-dasharray: 5 4; }
svg .final-area { fill: var(--final); fill-opacity: .07; }
svg .ring { fill: none; stroke: var(--good); stroke-width: 2; }
svg .branch { fill: none; stroke: var(--faint); stroke-opacity: .7; }
svg .card { fill: var(--paper); stroke: var(--hue); stroke-width: 1.5; }
svg .card.behind { stroke-opacity: .45; }
svg .whole { --hue: var(--whole); } svg .threads { --hue: var(--threads); }
svg .blocks { --hue: var(--blocks); } svg .warps { --hue: var(--warps); }
svg .loop { --hue: var(--loop); } svg .registers { --hue: var(--registers); }
svg .lanes { --hue: var(--lanes); }
svg .place { fill: var(--hue); fill-opacity: .13; stroke: var(--hue); stroke-opacity: .6; }
svg .copy { --hue: var(--copy); } svg .stays { --hue: var(--whole); }
svg .accumulator { --hue: var(--accumulator); }
svg .roof { stroke: var(--ink); stroke-width: 2; fill: none; }
svg .roof.minor { stroke: var(--faint); stroke-width: 1.5; stroke-dasharray: 2 3; }
svg .point { stroke: var(--paper); stroke-width: 1.5; }
svg .best-point { fill: var(--good); }
svg .untuned-point { fill: var(--paper); stroke: var(--soft); stroke-width: 2; }
pre { background: var(--page); border: 1px solid var(--line); border-radius: 8px; margin: 8px 0 14px;
  padding: 12px 14px; overflow-x: auto; font-size: 13px; line-height: 1.45; white-space: pre-wrap;
  overflow-wrap: anywhere; }
code { font-family: ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; }
footer { color: var(--faint); font-size: 13px; text-align: center; }
@media print { body { background: none; } header, section { break-inside: avoid; } }
)css";
}

}  // namespace mdh::report
