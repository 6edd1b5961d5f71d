import { Dialog } from "@base-ui/react/dialog";
import type { InfoPage } from "@longarm/contract/info-pages";
import { INFO_PAGES } from "@longarm/contract/info-pages";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { IconButton } from "@longarm/ui/key.tsx";
import { useEffect, useRef, useState } from "react";
import css from "./info-modal.module.css";
import { PAGE_TITLES } from "./page-titles.ts";

export type InfoModalProps = {
  readonly page: InfoPage;
  readonly onClose: () => void;
  /** Where the focus goes when it closes. */
  readonly finalFocus: () => HTMLElement | true;
};

/** An info page over 80 % of the window in both directions; all of it on phones. Closed, the frame is gone. */
export function InfoModal({ page, onClose, finalFocus }: InfoModalProps) {
  const { t } = useText();
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className={css["scrim"]} />
        <Dialog.Viewport className={css["view"]}>
          <Dialog.Popup className={css["modal"]} finalFocus={finalFocus}>
            <header className={css["head"]}>
              <Dialog.Title>{t(PAGE_TITLES[page])}</Dialog.Title>
              <IconButton icon="close" label={t("app.close")} onClick={onClose} />
            </header>
            <Frame key={page} page={page} onEscape={onClose} />
          </Dialog.Popup>
        </Dialog.Viewport>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/** The page itself. It runs no script: each language is a part of it, shown by the fragment of its address. */
function Frame({ page, onEscape }: { page: InfoPage; onEscape: () => void }) {
  const { t, language } = useText();
  const frame = useRef<HTMLIFrameElement>(null);
  const [loaded, setLoaded] = useState(false);
  const { path } = INFO_PAGES[page];

  useEffect(() => {
    if (!loaded) return;
    frame.current?.contentWindow?.location.replace(new URL(`${path}#in-frame-${language}`, location.href));
  }, [loaded, language, path]);

  function arrive() {
    setLoaded(true);
    // Keys pressed inside a frame stay there.
    frame.current?.contentDocument?.addEventListener("keydown", ({ key }) => key === "Escape" && onEscape());
  }
  return (
    <div className={css["body"]} aria-busy={!loaded}>
      {!loaded && (
        <p className={css["loading"]} role="status">
          {t("app.loading")}
        </p>
      )}
      {/* The page is ours or the operator's, and has no script: of its own origin it may load its fonts. */}
      <iframe
        ref={frame}
        src={path}
        title={t(PAGE_TITLES[page])}
        sandbox="allow-same-origin"
        referrerPolicy="no-referrer"
        data-loaded={loaded || undefined}
        onLoad={arrive}
      />
    </div>
  );
}
