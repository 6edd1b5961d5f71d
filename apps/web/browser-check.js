// biome-ignore-all lint/suspicious/noVar: browsers that this is for know nothing newer.
// biome-ignore-all lint/complexity/useOptionalChain: as above.
// biome-ignore-all lint/complexity/useArrowFunction: as above.
// Runs before the page, in any browser however old: says which browsers open the page, where this one cannot. The words are in index.html.
// Where it can, the settings are asked for now, while the page's own script is still on its way; shared/settings/load-settings.ts reads them.
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
  // A token is taken out of the address before anything is asked for; that is the page's own work.
  if (!can || location.search.indexOf("oken=") !== -1) return;
  window.longarmSettings = fetch("/Settings.json", {
    cache: "no-cache",
    headers: { accept: "application/json" },
    signal: AbortSignal.timeout(4000),
  });
  // Whoever waits for it hears of a failure.
  window.longarmSettings.catch(function () {});
})();
