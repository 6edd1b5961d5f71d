import type { Settings } from "@longarm/contract/settings";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { IconButton } from "@longarm/ui/key.tsx";
import { fetchWhenUsed } from "@longarm/ui/sheet.tsx";
import { pressed } from "@longarm/ui/time/painted.ts";
import { useRouter, useRouterState } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, useEffectEvent, useRef, useState } from "react";
import type { Findable } from "./search/find-items.ts";
import type { Shortcuts } from "./search/shortcuts.tsx";

/** What opens over the page, one at a time. */
type Panel = "drawer" | "search" | "info" | "support";

type ToolKeysProps = {
  readonly hasInfo: boolean;
  readonly hasSupport: boolean;
  readonly open: (panel: Panel) => void;
};

/** The small buttons: search, information, support. */
export function ToolKeys(props: ToolKeysProps) {
  const { t } = useText();
  return (
    <>
      <IconButton
        icon="search"
        label={t("shell.search")}
        title={t("shell.searchHint")}
        aria-keyshortcuts="Control+K /"
        aria-haspopup="dialog"
        onClick={() => props.open("search")}
      />
      <InfoKeys {...props} />
    </>
  );
}

/** Information and support, each only where there is something to show. */
export function InfoKeys({ hasInfo, hasSupport, open }: ToolKeysProps) {
  const { t } = useText();
  return (
    <>
      {hasInfo && (
        <IconButton icon="info" label={t("shell.info")} aria-haspopup="dialog" onClick={() => open("info")} />
      )}
      {hasSupport && (
        <IconButton icon="chat" label={t("shell.support")} aria-haspopup="dialog" onClick={() => open("support")} />
      )}
    </>
  );
}

type PanelsProps = {
  readonly panels: ReturnType<typeof usePanels>;
  readonly settings: PanelSettings;
  readonly onInfoSeen: () => void;
  /** What the search finds. */
  readonly items: readonly Findable[];
  readonly shortcuts: Shortcuts;
};

const loadSheets = () => import("./panel-sheets.tsx");
const InfoSheet = lazy(async () => ({ default: (await loadSheets()).InfoSheet }));
const SupportSheet = lazy(async () => ({ default: (await loadSheets()).SupportSheet }));
const SearchSheet = lazy(async () => ({ default: (await import("./search/search-sheet.tsx")).SearchSheet }));

/** The panels over the page, beside the menu's drawer: information, support, search. */
export function Panels({ panels, settings, onInfoSeen, items, shortcuts }: PanelsProps) {
  const { panel, close, finalFocus } = panels;
  const sheet = { onClose: close, finalFocus };
  // They stay once they were opened: a sheet closes by moving away.
  const [opened, setOpened] = useState<readonly Panel[]>([]);
  if (panel !== undefined && !opened.includes(panel)) setOpened([...opened, panel]);
  // With the machinery of sheets: they are there before a button is released, and where the network is gone by then.
  useEffect(() => fetchWhenUsed(loadSheets), []);
  return (
    <>
      {opened.includes("info") && (
        <Suspense>
          <InfoSheet
            {...sheet}
            open={panel === "info"}
            text={settings.infoText}
            onClose={() => {
              onInfoSeen();
              close();
            }}
          />
        </Suspense>
      )}
      {opened.includes("support") && (
        <Suspense>
          <SupportSheet {...sheet} open={panel === "support"} contacts={settings.contacts} />
        </Suspense>
      )}
      {panel === "search" && (
        <Suspense>
          <SearchSheet {...sheet} items={items} shortcuts={shortcuts} />
        </Suspense>
      )}
    </>
  );
}

type PanelSettings = Pick<Settings, "header" | "infoText" | "contacts">;

/**
 * One panel at a time, closed when the page changes. A new information text opens by itself. The focus goes back to what opened the panel, to
 * the menu button when that is gone, and to the heading of another page.
 */
export function usePanels({ header, infoText }: PanelSettings, infoIsNew: boolean) {
  const router = useRouter();
  const [panel, setPanel] = useState<Panel | undefined>(infoIsNew && infoText !== "" && header ? "info" : undefined);
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
  /** At once: the letters that follow a shortcut are meant for the panel. */
  function openNow(next: Panel): void {
    wanted.current = next;
    opener.current = document.activeElement;
    show(next);
  }
  useSearchKeys(() => openNow("search"));
  return {
    panel,
    /** After the frame that shows the button as pressed: a slow phone needs several frames for a panel. */
    async open(next: Panel) {
      wanted.current = next;
      opener.current = document.activeElement;
      await pressed(opener.current);
      if (wanted.current === next) show(next);
    },
    close() {
      wanted.current = undefined;
      setPanel(undefined);
    },
    finalFocus(): HTMLElement | boolean {
      const left = openedOn.current !== "" && openedOn.current !== router.state.location.pathname;
      if (left) return document.querySelector<HTMLElement>("h1") ?? true;
      // Another panel opens in its place and takes the focus.
      if (wanted.current !== undefined) return false;
      const back = opener.current;
      const stays = back instanceof HTMLElement && back.isConnected && back.closest("[role=dialog]") === null;
      if (stays && back !== document.body) return back;
      return document.querySelector<HTMLElement>("[data-menu-key]") ?? true;
    },
  };
}

const TYPED_INTO = "input, textarea, select, [contenteditable]";

/** Ctrl K (or Cmd K) everywhere, and "/" outside text fields, open the search; not while a dialog is open. */
function useSearchKeys(open: () => void): void {
  const hear = useEffectEvent((event: KeyboardEvent) => {
    const combined = event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey) && !event.altKey;
    const slash = event.key === "/" && !event.ctrlKey && !event.metaKey && !event.altKey;
    const typing = event.target instanceof Element && event.target.matches(TYPED_INTO);
    if (!(combined || (slash && !typing)) || document.querySelector("[role=dialog]") !== null) return;
    event.preventDefault();
    open();
  });
  useEffect(() => {
    document.addEventListener("keydown", hear);
    return () => document.removeEventListener("keydown", hear);
  }, []);
}
