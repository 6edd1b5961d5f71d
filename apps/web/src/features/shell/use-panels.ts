import { useRouter, useRouterState } from "@tanstack/react-router";
import { useRef, useState } from "react";
import type { Panel } from "./tool-keys.tsx";

/**
 * One panel at a time, closed when the page changes. The focus goes back to what opened it, to the menu key when that is gone, and
 * to the heading of another page.
 */
export function usePanels(first: Panel | undefined) {
  const router = useRouter();
  const [panel, setPanel] = useState(first);
  const opener = useRef<Element>(null);
  const openedOn = useRef("");
  const path = useRouterState({ select: (state) => state.location.pathname });
  const [seenPath, setSeenPath] = useState(path);
  if (seenPath !== path) {
    setSeenPath(path);
    setPanel(undefined);
  }
  return {
    panel,
    open(next: Panel) {
      opener.current = document.activeElement;
      openedOn.current = router.state.location.pathname;
      setPanel(next);
    },
    close: () => setPanel(undefined),
    finalFocus(): HTMLElement | true {
      const left = openedOn.current !== "" && openedOn.current !== router.state.location.pathname;
      if (left) return document.querySelector<HTMLElement>("h1") ?? true;
      const back = opener.current;
      const stays = back instanceof HTMLElement && back.isConnected && back.closest("[role=dialog]") === null;
      if (stays && back !== document.body) return back;
      return document.querySelector<HTMLElement>("[data-menu-key]") ?? true;
    },
  };
}
