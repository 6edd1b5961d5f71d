// biome-ignore-all lint/suspicious/noVar: browsers that this is for know nothing newer.
// biome-ignore-all lint/complexity/useOptionalChain: as above.
// biome-ignore-all lint/complexity/useArrowFunction: as above.
// Runs before the page, in any browser however old: says which browsers open the page, where this one cannot. The words are in index.html.
(function () {
  var can =
    "noModule" in document.createElement("script") &&
    typeof [].toSorted === "function" &&
    typeof Object.hasOwn === "function" &&
    typeof AbortSignal === "function" &&
    typeof AbortSignal.any === "function" &&
    typeof URL.parse === "function";
  var words = document.getElementById("unsupported");
  var root = document.getElementById("root");
  if (!can && root && words && words.content) root.parentNode.replaceChild(words.content, root);
})();
