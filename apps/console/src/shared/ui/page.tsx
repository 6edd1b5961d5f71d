import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Icon } from "@longarm/ui/icon.tsx";
import { Lamp } from "@longarm/ui/lamp.tsx";
import { useLive } from "@longarm/ui/live.ts";
import { usePageTitle } from "@longarm/ui/page-title.ts";
import { useNow } from "@longarm/ui/time/use-now.ts";
import type { ReactNode } from "react";
import { createContext, use, useEffect, useRef } from "react";
import { useConsole } from "../console.ts";
import { DeskContext } from "../desk.ts";
import { useMe, useSkewMs } from "../me.ts";
import { clockText } from "../times.ts";
import { EmergencyStop } from "./emergency-stop.tsx";
import css from "./page.module.css";
import { Note } from "./panel.tsx";

/** What the app adds to the bar of every page: shared knows no feature. */
export const BarContext = createContext<ReactNode>(null);

/** A page of the console: its title with the lamp and the venue's clock, and below it what is wrong with the connection. */
export function Page(props: {
  readonly title: string;
  readonly about?: string | undefined;
  readonly tools?: ReactNode;
  readonly children: ReactNode;
}) {
  const { t } = useText();
  const { offlineSince } = useConsole();
  const me = useMe();
  const offline = useLive(offlineSince);
  const title = useRef<HTMLHeadingElement>(null);
  usePageTitle(props.title);
  // A new page is read from its title on.
  useEffect(() => title.current?.focus(), []);
  return (
    <>
      <header className={css["bar"]}>
        <div className={css["title"]}>
          <h1 ref={title} tabIndex={-1}>
            {props.title}
          </h1>
          {props.about !== undefined && <p>{props.about}</p>}
        </div>
        {props.tools}
        <FindKey />
        <Now offline={offline !== null} />
        {use(BarContext)}
        <EmergencyStop />
      </header>
      {offline !== null && (
        <div className={css["band"]} role="status">
          <Lamp status="waiting">{t("app.offline", { time: clockText(offline, me.venue.timeZone) })}</Lamp>
          <p className="soft">{t("app.offlineAbout")}</p>
        </div>
      )}
      <main id="page" className={css["main"]} tabIndex={-1} data-stale={offline !== null || undefined}>
        {!me.venue.secondPerson && <Note kind="wait">{t("app.onePerson")}</Note>}
        {props.children}
      </main>
    </>
  );
}

/** Opens the palette. */
function FindKey() {
  const { t } = useText();
  const desk = use(DeskContext);
  if (desk === undefined) return null;
  return (
    <button
      type="button"
      className={css["find"]}
      aria-label={t("app.find")}
      aria-keyshortcuts="Control+K"
      data-keys="Ctrl K"
      onClick={desk.find}
    >
      <Icon name="search" />
      <span>{t("app.find")}</span>
    </button>
  );
}

/** The lamp, and the venue's own time: the platform's clock, whatever this computer's one says. */
function Now({ offline }: { readonly offline: boolean }) {
  const { clock, timers, live } = useConsole();
  const isLive = useLive(live) && !offline;
  const { t } = useText();
  const { venue } = useMe();
  const now = useNow(clock, timers, 5_000) + useSkewMs();
  return (
    <span className={css["live"]}>
      <Lamp status={isLive ? "available" : "waiting"}>{t(isLive ? "app.live" : "app.notLive")}</Lamp>
      <time className="num" dateTime={new Date(now).toISOString()} title={venue.timeZone}>
        {clockText(now, venue.timeZone)}
      </time>
    </span>
  );
}
