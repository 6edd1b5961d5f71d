import { useRouterState } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useEffect, useRef, useState } from "react";
import { useText } from "../../shared/i18n/use-text.ts";
import type { Storage } from "../../shared/storage/storage.ts";
import { STORAGE_KEYS } from "../../shared/storage/storage.ts";
import { Sheet } from "../../shared/ui/sheet.tsx";
import { SMALL, useMedia } from "../../shared/ui/use-media.ts";
import type { Chrome } from "./chrome.ts";
import { ChromeContext } from "./chrome.ts";
import type { NavbarProps } from "./navbar.tsx";
import { Navbar } from "./navbar.tsx";
import css from "./shell.module.css";

/** A folded menu opens after the pointer has rested on it this long, ms (specification section 9). */
const HOVER_MS = 150;

export type ShellProps = Omit<NavbarProps, "narrow" | "foot" | "extra" | "onChosen"> & {
  readonly storage: Storage;
  readonly footer: string;
  /** The language choice, for the drawer: small headers have no room for it. */
  readonly languages: ReactNode;
  readonly chrome: Omit<Chrome, "openDrawer">;
  readonly children: ReactNode;
};

/** The casino shell (layout3): a side menu of 280 px, 64 when folded, a drawer on small screens. */
export function Shell({ storage, footer, languages, chrome, children, ...menu }: ShellProps) {
  const { t } = useText();
  const small = useMedia(SMALL);
  const [folded, setFolded] = useState(() => storage.read(STORAGE_KEYS.menuFolded) === "true");
  const [drawer, setDrawer] = useState(false);
  const path = useRouterState({ select: (state) => state.location.pathname });
  const [seenPath, setSeenPath] = useState(path);
  if (seenPath !== path) {
    setSeenPath(path);
    setDrawer(false);
  }

  function fold(next: boolean) {
    setFolded(next);
    storage.write(STORAGE_KEYS.menuFolded, String(next));
  }
  const foldKey = folded
    ? ({ icon: "unfold", label: t("shell.unfold"), onPress: () => fold(false) } as const)
    : ({ icon: "fold", label: t("shell.fold"), onPress: () => fold(true) } as const);
  const closeKey = { icon: "close", label: t("shell.closeMenu"), onPress: () => setDrawer(false) } as const;

  return (
    <ChromeContext value={{ ...chrome, openDrawer: small ? () => setDrawer(true) : undefined }}>
      <div className={css["shell"]} data-folded={folded || undefined}>
        <a className={css["skip"]} href="#page">
          {t("app.skipToContent")}
        </a>
        {!small && <SideMenu folded={folded} menu={{ ...menu, foot: foldKey }} />}
        {small && (
          <Sheet open={drawer} onClose={() => setDrawer(false)} title={t("shell.menu")} bareTitle form="drawer">
            <Navbar {...menu} narrow={false} foot={closeKey} extra={languages} onChosen={() => setDrawer(false)} />
          </Sheet>
        )}
        <div className={css["body"]}>
          {children}
          {footer !== "" && <footer className={css["footer"]}>{footer}</footer>}
        </div>
      </div>
    </ChromeContext>
  );
}

/** Folded, it opens over the page while the pointer rests on it or the keyboard is inside. */
function SideMenu({ folded, menu }: { folded: boolean; menu: Omit<NavbarProps, "narrow"> }) {
  const [open, setOpen] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);

  function soon(next: boolean) {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setOpen(next), HOVER_MS);
  }
  return (
    <div
      className={css["side"]}
      data-over={(folded && open) || undefined}
      onPointerEnter={() => soon(true)}
      onPointerLeave={() => soon(false)}
    >
      <Navbar {...menu} narrow={folded && !open} />
    </div>
  );
}
