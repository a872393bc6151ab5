#include "reports/page_style.hpp"

namespace plusmax::reports {

// Series colours keep their order in both themes; text and marks stay above a contrast of 3 against their ground.
const char* page_style() {
  return R"css(
:root{color-scheme:light dark;--ground:#fff;--raised:#f6f7f9;--line:#d9dde3;--ink:#16191d;--soft:#5b6470;--good:#14743a;--bad:#b3261e;
--warn:#8a5a00;--link:#1a5fb4;--s0:#2563c9;--s1:#c2570c;--s2:#0d7d72;--s3:#a8327c;--s4:#6d4fc4;--s5:#6b6a12;--s6:#8c3b2e;--s7:#4a5568}
@media(prefers-color-scheme:dark){:root{--ground:#14171a;--raised:#1d2125;--line:#363c43;--ink:#e8eaed;--soft:#9aa4af;--good:#5fd08a;
--bad:#ff8a80;--warn:#f0b849;--link:#8ab8ff;--s0:#7aa7ff;--s1:#ff9f5a;--s2:#4fd1c0;--s3:#f58ac9;--s4:#b39dff;--s5:#d3d15c;--s6:#f0a394;--s7:#a9b4c2}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:1180px;padding:20px 24px 60px;background:var(--ground);color:var(--ink);
font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif}
h1{font-size:30px;line-height:1.15;margin:0}h2{font-size:20px;margin:40px 0 8px}h3{font-size:15px;margin:18px 0 4px}
p{margin:6px 0;max-width:80ch}a{color:var(--link)}code,pre{font:12.5px/1.45 ui-monospace,"SF Mono","DejaVu Sans Mono",Menlo,monospace}
code{overflow-wrap:anywhere}code.name{white-space:nowrap}pre{background:var(--raised);border:1px solid var(--line);border-radius:6px;padding:8px 10px;margin:6px 0;white-space:pre-wrap;overflow-wrap:anywhere}
nav{margin:18px 0 0;padding:8px 0;border-top:1px solid var(--line);border-bottom:1px solid var(--line);display:flex;flex-wrap:wrap;gap:4px 18px;font-size:14px}
.verdict{border-left:10px solid var(--soft);padding:4px 0 4px 16px}.verdict.good{border-color:var(--good)}.verdict.bad{border-color:var(--bad)}
.verdict.good h1{color:var(--good)}.verdict.bad h1{color:var(--bad)}.verdict p{font-size:17px}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(200px,1fr));gap:12px;margin:18px 0}
.tile{background:var(--raised);border:1px solid var(--line);border-radius:8px;padding:10px 14px}
.tile b{display:block;font-size:26px;line-height:1.25;font-variant-numeric:tabular-nums}.tile span{color:var(--soft);font-size:13px;display:block}
.facts{display:grid;grid-template-columns:max-content 1fr;gap:2px 18px;margin:12px 0;font-size:14px}.facts dt{color:var(--soft)}.facts dd{margin:0;overflow-wrap:anywhere}
.scroll{overflow-x:auto;margin:8px 0}
table{border-collapse:collapse;font-size:13.5px;min-width:40%}th,td{padding:4px 8px;border-bottom:1px solid var(--line);text-align:left;vertical-align:top}
th{color:var(--soft);font-weight:600;border-bottom:2px solid var(--line);background:var(--ground)}
td.fixed{white-space:nowrap}td.n,th.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}tbody tr:hover{background:var(--raised)}
th[role=button]{cursor:pointer}th[aria-sort=ascending]::after{content:" \2191"}th[aria-sort=descending]::after{content:" \2193"}
.filter{font:inherit;font-size:13px;padding:3px 8px;margin:4px 0;width:260px;border:1px solid var(--line);border-radius:5px;background:var(--ground);color:var(--ink)}
.good{color:var(--good)}.bad{color:var(--bad)}.warn{color:var(--warn)}.soft{color:var(--soft)}
.matrix td,.matrix th{padding:3px 7px;border:1px solid var(--line);text-align:center}.matrix td:first-child,.matrix th:first-child{text-align:left}
.matrix thead th{writing-mode:vertical-rl;transform:rotate(180deg);text-align:left;vertical-align:bottom;font-weight:500}.matrix thead th:first-child{writing-mode:horizontal-tb;transform:none}
.kill{background:color-mix(in srgb,var(--good) 16%,transparent)}.named{background:color-mix(in srgb,var(--good) 38%,transparent);font-weight:600}
.survived{background:color-mix(in srgb,var(--bad) 30%,transparent);font-weight:600}
figure{margin:10px 0}figcaption{color:var(--soft);font-size:13.5px;max-width:85ch}.multiples{display:grid;grid-template-columns:repeat(auto-fit,minmax(440px,1fr));gap:14px}
svg{max-width:100%;height:auto;display:block;font:12px system-ui,"DejaVu Sans",sans-serif}svg text{fill:var(--soft)}svg text.strong{fill:var(--ink);font-weight:600}
svg .grid{stroke:var(--line);stroke-width:1}svg .axis{stroke:var(--soft);stroke-width:1}svg .limit{stroke:var(--bad);stroke-width:1.5;stroke-dasharray:6 4}svg text.limit-text{fill:var(--bad)}
svg .c0{fill:var(--s0)}svg .c1{fill:var(--s1)}svg .c2{fill:var(--s2)}svg .c3{fill:var(--s3)}svg .c4{fill:var(--s4)}svg .c5{fill:var(--s5)}svg .c6{fill:var(--s6)}svg .c7{fill:var(--s7)}
svg .mark{fill-opacity:.75;stroke:var(--ground);stroke-width:.6}svg .bar{fill:var(--s0)}svg .bar:hover,svg .mark:hover{fill-opacity:1;stroke:var(--ink)}
svg .gap{stroke:var(--good);stroke-width:3}svg .bad-fill{fill:var(--bad)}svg .good-fill{fill:var(--good)}
details{margin:4px 0}summary{cursor:pointer}details[open]>summary{margin-bottom:4px}
.failure{border:1px solid var(--bad);border-radius:8px;padding:8px 14px;margin:10px 0}
.calculator{display:grid;grid-template-columns:max-content minmax(140px,380px) 130px;gap:8px 16px;align-items:center;margin:12px 0;padding:12px 16px;max-width:max-content;
background:var(--raised);border:1px solid var(--line);border-radius:8px;font-size:14px}.calculator[hidden]{display:none}.calculator select{grid-column:2/4;justify-self:start}
.calculator input,.calculator select{font:inherit;min-width:0;accent-color:var(--link)}.calculator [type=number],.calculator select{padding:3px 8px;border:1px solid var(--line);border-radius:5px;background:var(--ground);color:var(--ink)}
.calculator.unusable~.bars,.calculator.unusable~.figure{opacity:.4}
@media(max-width:720px){.calculator{grid-template-columns:1fr 130px;max-width:none}.calculator label,.calculator select{grid-column:1/3}}
.bars{width:100%}.bars th{font-weight:400;color:var(--ink);border-bottom:1px solid var(--line);width:30%}.bars .track{width:52%}
.bars .track div{display:flex;height:20px}.fill{display:block}.fill.thirds{background-image:linear-gradient(90deg,transparent calc(100% - 2px),var(--ground) 0);background-size:33.34% 100%}
.f0{background-color:var(--s0)}.f1{background-color:var(--s1)}.f2{background-color:var(--s2)}.f7{background-color:var(--s7)}.bars th span{white-space:nowrap}.key{display:inline-block;width:10px;height:10px;margin-right:4px}
@media print{body{max-width:none;padding:0;font-size:11px}nav,.filter,.calculator{display:none}figure,.tile,.failure,tr{break-inside:avoid}h2{break-after:avoid}.tile,pre{background:none}.fill,.key{print-color-adjust:exact}
:root{--ground:#fff;--raised:#fff;--line:#bbb;--ink:#000;--soft:#444}}
)css";
}

const char* page_script() {
  return R"js(
document.querySelectorAll('table.sortable').forEach(function(t){
var b=t.tBodies[0],h=t.tHead.rows[0].cells;
Array.prototype.forEach.call(h,function(c,i){c.setAttribute('role','button');c.tabIndex=0;
function go(){var up=c.getAttribute('aria-sort')==='descending';Array.prototype.forEach.call(h,function(x){x.removeAttribute('aria-sort')});
c.setAttribute('aria-sort',up?'ascending':'descending');
function key(r){var d=r.cells[i].dataset.v;if(d===undefined)return r.cells[i].textContent;return d==='nan'?Infinity:d==='inf'?Number.MAX_VALUE:d==='-inf'?-Number.MAX_VALUE:+d}
Array.prototype.slice.call(b.rows).sort(function(p,q){var x=key(p),y=key(q),s=x<y?-1:x>y?1:0;return up?s:-s}).forEach(function(r){b.appendChild(r)})}
c.onclick=go;c.onkeydown=function(e){if(e.key==='Enter'||e.key===' '){e.preventDefault();go()}}});
if(b.rows.length>8){var f=document.createElement('input');f.className='filter';f.type='search';f.placeholder='filter rows';f.setAttribute('aria-label','filter rows');
f.oninput=function(){var q=f.value.toLowerCase();Array.prototype.forEach.call(b.rows,function(r){r.style.display=r.textContent.toLowerCase().indexOf(q)<0?'none':''})};
t.parentNode.parentNode.insertBefore(f,t.parentNode)}});
)js";
}

}  // namespace plusmax::reports
