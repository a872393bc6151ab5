#include "reports/calculator_script.hpp"

namespace plusmax::reports {

// answer() and size() are equal_chunk(), logits_memory() and memory_size(), in whole numbers below 2^53; tests/reports/browser holds them equal.
const char* calculator_script() {
  return R"js(
(function(){
var form=document.getElementById('calculator_form'),numbers=['tokens','vocab','features','chunk'],choices=['dtype','chunk_dtype','dweight_type'];
var most=2147483647,mostElements=Math.pow(2,48);
function at(id){return document.getElementById('calculator_'+id)}
function field(name){return form.elements[name]}
function up(a,b){return Math.floor((a+b-1)/b)}
function size(bytes){
var units=[['GB',1e9,1e8],['MB',1e6,1e6],['kB',1e3,1e3]];
for(var i=0;i<units.length;i++){var u=units[i];if(bytes<u[2])continue;
var digits=u[2]<u[1]||bytes<10*u[1]?2:bytes<100*u[1]?1:0,parts=Math.pow(10,digits),step=u[1]/parts;
var steps=Math.floor((bytes+Math.floor(step/2))/step),whole=Math.floor(steps/parts);
return whole+(digits?'.'+String(steps%parts).padStart(digits,'0'):'')+' '+u[0]}
return bytes+' B'}
function wrong(q){
for(var i=0;i<numbers.length;i++){var n=q[numbers[i]];if(!(Number.isInteger(n)&&n>=1&&n<=most))return numbers[i]+' must be a whole number from 1 to '+most+'.'}
if(q.tokens*q.vocab>mostElements)return q.tokens+' tokens x '+q.vocab+' classes are more than 2^48 logits.';
if(q.vocab*q.features>mostElements)return q.vocab+' classes x '+q.features+' features are more than 2^48 weights.';
return ''}
function answer(q){
var bytes=q.dtype==='f32'?4:2,chunkBytes=q.chunk_dtype==='f32'?4:2,a={};
a.one_copy=q.tokens*q.vocab*bytes;a.three_copies=3*a.one_copy;
a.chunk=up(q.tokens,up(q.tokens,q.chunk));a.chunks=up(q.tokens,a.chunk);
a.chunk_logits=a.chunk*up(q.vocab,64)*64*chunkBytes;
a.dweight_sum=q.dweight_type!=='f32'&&a.chunks>1?q.vocab*q.features*4:0;
a.by_chunks=a.chunk_logits+a.dweight_sum;
var tenths=Math.floor(10*a.three_copies/a.chunk_logits+0.5);
a.times=Math.floor(tenths/10)+'.'+tenths%10;
a.note='';
var copy='the one copy in place '+size(a.one_copy);
if(a.by_chunks>=a.one_copy){
if(a.chunks===1)a.note='A chunk of all '+a.chunk+' tokens saves nothing: its logits take '+size(a.chunk_logits)+', '+copy+'.';
else if(!a.dweight_sum)a.note='Chunks of '+a.chunk+' of '+q.tokens+' tokens save nothing: the logits of one take '+size(a.chunk_logits)+', '+copy+'.';
else a.note='Chunks save nothing: the logits of one take '+size(a.chunk_logits)+' and the f32 sum of dW '+size(a.dweight_sum)+', '+copy+'. A dW in f32 is its own sum, and slices of the vocabulary need none.'}
return a}
function asked(){
var q={};numbers.forEach(function(n){var v=field(n).value.trim();q[n]=/^[0-9]+$/.test(v)?+v:NaN});
q.dtype=field('dtype').value;['chunk_dtype','dweight_type'].forEach(function(c){q[c]=field(c).value==='f32'?'f32':q.dtype});
return q}
function show(){
var q=asked(),problem=wrong(q),note=at('note');
numbers.forEach(function(n){var s=at(n+'_slider'),v=+field(n).value;if(v>=1)s.value=Math.log2(v);s.setAttribute('aria-valuetext',field(n).value)});
form.classList.toggle('unusable',!!problem);
note.className=problem?'bad':'warn';
if(problem){note.textContent=problem;return}
var a=answer(q),widest=Math.max(a.three_copies,a.by_chunks);
['three_copies','one_copy','by_chunks','chunk_logits','dweight_sum'].forEach(function(f){
var cell=at(f);cell.textContent=size(a[f]);cell.dataset.bytes=a[f];
var bar=at(f+'_bar');if(bar)bar.style.width=100*a[f]/widest+'%'});
at('chunks').textContent=a.chunks===1?'one chunk of '+a.chunk+' tokens':a.chunks+' chunks of '+a.chunk+' tokens';
at('times').textContent=a.times;note.textContent=a.note;
at('command').textContent='./plusmax plan --tokens '+q.tokens+' --vocab '+q.vocab+' --features '+q.features+' --dtype '+q.dtype+' --dweight-type '+q.dweight_type+' --chunk '+q.chunk+' --chunk-dtype '+q.chunk_dtype;
at('link').href='#'+numbers.concat(choices).map(function(n){return n+'='+field(n).value}).join('&')}
function read(){
if(location.hash.indexOf('=')<0)return;
new URLSearchParams(location.hash.slice(1)).forEach(function(value,name){
if(numbers.indexOf(name)>=0&&/^[0-9]{1,10}$/.test(value))field(name).value=value;
if(choices.indexOf(name)>=0&&Array.prototype.some.call(field(name).options,function(o){return o.value===value}))field(name).value=value});
show();document.getElementById('calculator').scrollIntoView()}
numbers.forEach(function(n){var s=at(n+'_slider');
s.addEventListener('input',function(){var v=+s.value,g=Math.pow(2,Math.floor(v)-5);field(n).value=Math.max(1,Math.round(Math.pow(2,v)/g)*g);show();s.value=v})});
form.addEventListener('input',function(e){if(e.target.type!=='range')show()});
form.addEventListener('submit',function(e){e.preventDefault()});
window.addEventListener('hashchange',read);
form.hidden=false;at('share').hidden=false;show();read()})();
)js";
}

}  // namespace plusmax::reports
