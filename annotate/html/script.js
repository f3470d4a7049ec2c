(function () {
  "use strict";
  var form = document.getElementById("filter");
  var findings = Array.prototype.slice.call(document.querySelectorAll("details.finding"));
  function apply() {
    var text = form.elements.text.value.trim().toLowerCase();
    var shown = 0;
    findings.forEach(function (f) {
      var on = form.elements[f.dataset.severity].checked && (text === "" || (f.parentNode.firstElementChild.textContent + " " + f.textContent).toLowerCase().indexOf(text) >= 0);
      f.hidden = !on;
      if (on) shown++;
    });
    Array.prototype.forEach.call(document.querySelectorAll(".function"), function (s) {
      var own = s.querySelectorAll("details.finding");
      s.hidden = own.length > 0 && s.querySelectorAll("details.finding:not([hidden])").length === 0;
    });
    form.elements.shown.value = shown + " of " + findings.length + " shown";
  }
  function all(open) {
    findings.forEach(function (f) { if (!f.hidden) f.open = open; });
  }
  if (form) {
    form.hidden = false;
    form.addEventListener("input", apply);
    form.addEventListener("submit", function (e) { e.preventDefault(); });
    form.elements.open.addEventListener("click", function () { all(true); });
    form.elements.close.addEventListener("click", function () { all(false); });
    apply();
  }
  var copy = document.getElementById("copy");
  if (copy && navigator.clipboard) {
    copy.hidden = false;
    copy.addEventListener("click", function () {
      navigator.clipboard.writeText(document.getElementById("command").textContent).then(function () { copy.textContent = "Copied"; });
    });
  }
  window.addEventListener("beforeprint", function () { all(true); });
})();
