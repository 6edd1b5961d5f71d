import type { AnyRouter } from "@tanstack/react-router";

/**
 * After a navigation the focus goes to the new page's heading, so that a screen reader says where it is and Tab goes on from there.
 * Within a page (a brand in the lobby) it stays where it was, unless that is gone. Returns what ends it.
 */
export function focusHeadings(router: AnyRouter): () => void {
  return router.subscribe("onRendered", ({ fromLocation, toLocation, pathChanged }) => {
    if (fromLocation === undefined || !pathChanged) return;
    const samePage = pageOf(fromLocation.pathname) === pageOf(toLocation.pathname);
    if (samePage && document.activeElement !== document.body) return;
    if (document.querySelector("[role=dialog][data-open]") !== null) return;
    const heading = document.querySelector("h1");
    if (heading === null) return;
    heading.tabIndex = -1;
    heading.focus({ preventScroll: true });
  });
}

/** Below these every address is a page of its own. */
const pageOf = (path: string): string | undefined => (/^\/(ui|pages|auth)\//.test(path) ? path : path.split("/")[1]);
