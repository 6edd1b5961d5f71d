import { useText } from "@longarm/ui/i18n/use-text.ts";
import { useLive } from "@longarm/ui/live.ts";
import { createContext, use, useEffect, useState } from "react";
import { createPortal } from "react-dom";
import { useConsole } from "../../shared/console.ts";
import { ConsoleIcon } from "../../shared/ui/icons.tsx";
import { Banner } from "./notice-row.tsx";
import css from "./notices.module.css";
import { NoticesSheet } from "./notices-sheet.tsx";
import type { NoticesNow } from "./use-notices.ts";
import { useNotices } from "./use-notices.ts";

const NoticesContext = createContext<NoticesNow | undefined>(undefined);

/** Reads the notifications once for the whole page, announces what is new, and keeps the count on the tab and the app's icon. */
export function Notices({ children }: { readonly children: React.ReactNode }) {
  const now = useNotices();
  const { t } = useText();
  const { tones } = useConsole();
  const { unread, banners } = now;
  useEffect(() => showCount(unread), [unread]);
  useEffect(() => {
    const touch = (): void => tones.touch();
    for (const sign of SIGNS) addEventListener(sign, touch, { once: true, passive: true });
    return () => {
      for (const sign of SIGNS) removeEventListener(sign, touch);
    };
  }, [tones]);
  return (
    <NoticesContext value={now}>
      {children}
      {createPortal(
        <section className={css["banners"]} aria-label={t("notices.title")}>
          {banners.map((notice) => (
            <Banner key={notice.seq} notice={notice} dismiss={() => now.dismiss(notice.seq)} />
          ))}
        </section>,
        document.body,
      )}
    </NoticesContext>
  );
}

const SIGNS = ["pointerdown", "keydown"] as const;

/** The bar's bell with the number of unread notifications; it opens them. */
export function Bell() {
  const { t } = useText();
  const { tones } = useConsole();
  const now = use(NoticesContext);
  const sound = useLive(tones.sound);
  const [open, setOpen] = useState(false);
  if (now === undefined) return null;
  const { unread } = now;
  return (
    <>
      {sound === "blocked" && unread > 0 && (
        <button type="button" className={css["blocked"]} onClick={() => tones.touch()}>
          {t("notices.soundBlocked")}
        </button>
      )}
      <button
        type="button"
        className={css["bell"]}
        aria-label={unread > 0 ? t("app.notificationsNew", { count: unread }) : t("app.notifications")}
        title={t("app.notifications")}
        onClick={() => setOpen(true)}
      >
        <ConsoleIcon name="bell" />
        {unread > 0 && (
          <b className={css["count"]} aria-hidden="true">
            {unread}
          </b>
        )}
      </button>
      <NoticesSheet now={now} open={open} onClose={() => setOpen(false)} />
    </>
  );
}

const COUNTED = /^\(\d+\) /;

/** The tab's title and the app's icon carry the count; a change of the title keeps it. */
function showCount(count: number): () => void {
  const draw = (): void => {
    const bare = document.title.replace(COUNTED, "");
    const wanted = count > 0 ? `(${count}) ${bare}` : bare;
    if (document.title !== wanted) document.title = wanted;
  };
  draw();
  const title = document.querySelector("title");
  const observer = new MutationObserver(draw);
  if (title !== null) observer.observe(title, { childList: true });
  const { setAppBadge } = navigator as { setAppBadge?: (count: number) => Promise<void> };
  // A browser that keeps no badge for this page is no failure.
  setAppBadge?.call(navigator, count).catch(() => undefined);
  return () => observer.disconnect();
}
