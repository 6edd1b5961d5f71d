import { useRouter, useRouterState } from "@tanstack/react-router";
import { useRef, useState } from "react";
import { pressed } from "../../shared/time/pressed.ts";
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
  const wanted = useRef<Panel>(undefined);
  const path = useRouterState({ select: (state) => state.location.pathname });
  const [seenPath, setSeenPath] = useState(path);
  if (seenPath !== path) {
    setSeenPath(path);
    setPanel(undefined);
  }
  function show(next: Panel): void {
    openedOn.current = router.state.location.pathname;
    setPanel(next);
  }
  return {
    panel,
    /** Behind the picture in which the key that asks for it is pressed: a panel takes a slow phone some pictures. */
    async open(next: Panel) {
      wanted.current = next;
      opener.current = document.activeElement;
      await pressed(opener.current);
      if (wanted.current === next) show(next);
    },
    /** At once: the letters that follow a shortcut are meant for the panel. */
    openNow(next: Panel) {
      wanted.current = next;
      opener.current = document.activeElement;
      show(next);
    },
    close() {
      wanted.current = undefined;
      setPanel(undefined);
    },
    finalFocus(): HTMLElement | boolean {
      const left = openedOn.current !== "" && openedOn.current !== router.state.location.pathname;
      if (left) return document.querySelector<HTMLElement>("h1") ?? true;
      // Another panel comes in its place, and takes the focus.
      if (wanted.current !== undefined) return false;
      const back = opener.current;
      const stays = back instanceof HTMLElement && back.isConnected && back.closest("[role=dialog]") === null;
      if (stays && back !== document.body) return back;
      return document.querySelector<HTMLElement>("[data-menu-key]") ?? true;
    },
  };
}
