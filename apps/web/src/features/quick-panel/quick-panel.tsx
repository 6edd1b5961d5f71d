import type { QuickPanelData } from "@longarm/contract/template/team-chat";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key, keyClass } from "@longarm/ui/key.tsx";
import type { Live } from "@longarm/ui/live.ts";
import { useLive } from "@longarm/ui/live.ts";
import { Switch } from "@longarm/ui/switch.tsx";
import { timeFormat } from "@longarm/ui/time/time-text.ts";
import { useEffect } from "react";
import { createStore } from "zustand/vanilla";
import type { ApiAnswer } from "../../shared/api/client.ts";
import type { TextKey } from "../../shared/i18n/text-key.ts";
import { EndPanel } from "../../shared/ui/end-panel.tsx";
import css from "./quick-panel.module.css";

type QuickPanelProps = { readonly panel: QuickPanel; readonly clock: { now(): number } };

/** A drawer of 280 px: today, the venue's events and notes, and three switches. */
export function QuickPanelDrawer({ panel, clock }: QuickPanelProps) {
  const { t } = useText();
  const isOpen = useLive(panel.now, (state) => state.isOpen);
  return (
    <EndPanel
      open={isOpen}
      title={t("quickPanel.title")}
      onClose={panel.close}
      className={css["drawer"] ?? ""}
      finalFocus={() => document.querySelector<HTMLElement>("[data-quick-key]") ?? true}
    >
      <Content panel={panel} now={clock.now()} />
    </EndPanel>
  );
}

const SWITCH_TEXTS: Readonly<Record<QuickSwitch, TextKey>> = {
  notifications: "quickPanel.notifications",
  cloudSync: "quickPanel.cloudSync",
  retroThrusters: "quickPanel.retroThrusters",
};

/** Mounted with each opening: events and notes are read then. */
function Content({ panel, now }: { readonly panel: QuickPanel; readonly now: number }) {
  const { t } = useText();
  const { load, data, on } = useLive(panel.now);
  useEffect(() => void panel.read(), [panel]);
  return (
    <div className={css["sections"]}>
      <Today now={now} />
      {load === "loading" && <p role="status">{t("app.loading")}</p>}
      {load === "failed" && (
        <div className={css["failed"]}>
          <p role="alert">{t("quickPanel.failed")}</p>
          <Key kind="line" onClick={() => void panel.read()}>
            {t("app.tryAgain")}
          </Key>
        </div>
      )}
      {load === "ready" && (
        <>
          <Entries title={t("quickPanel.events")} none={t("quickPanel.noEvents")} entries={data.events} />
          <Entries title={t("quickPanel.notes")} none={t("quickPanel.noNotes")} entries={data.notes} />
        </>
      )}
      <section>
        <h3 className="plate">{t("quickPanel.settings")}</h3>
        {SWITCHES.map((which) => (
          <Switch
            key={which}
            label={t(SWITCH_TEXTS[which])}
            on={on[which]}
            onChange={(next) => panel.flip(which, next)}
          />
        ))}
      </section>
    </div>
  );
}

/** Weekday, day and month as the language writes them (decision D-51). */
function Today({ now }: { readonly now: number }) {
  const { t, language } = useText();
  const iso = timeFormat("en", { year: "numeric", month: "2-digit", day: "2-digit" }).format(now);
  return (
    <section>
      <h3 className="plate">{t("quickPanel.today")}</h3>
      <time className={css["today"]} dateTime={iso.split("/").reverse().join("-")}>
        <span className={css["weekday"]}>{timeFormat(language, { weekday: "long" }).format(now)}</span>
        <span>{timeFormat(language, { day: "numeric", month: "long" }).format(now)}</span>
      </time>
    </section>
  );
}

type EntriesProps = { readonly title: string; readonly none: string; readonly entries: QuickPanelData["events"] };

function Entries({ title, none, entries }: EntriesProps) {
  return (
    <section>
      <h3 className="plate">{title}</h3>
      {entries.length === 0 && <p className={css["detail"]}>{none}</p>}
      <ul className={css["entries"]}>
        {entries.map((entry) => (
          <li key={entry.id} dir="auto">
            <strong>{entry.title}</strong>
            {entry.detail !== "" && <span className={css["detail"]}>{entry.detail}</span>}
          </li>
        ))}
      </ul>
    </section>
  );
}

type QuickPanelKeyProps = { readonly panel: QuickPanel; readonly onPress?: (() => void) | undefined };

/** Opens the quick panel. */
export function QuickPanelKey({ panel, onPress }: QuickPanelKeyProps) {
  const { t } = useText();
  const isOpen = useLive(panel.now, (state) => state.isOpen);
  return (
    <button
      type="button"
      className={keyClass({ kind: "bare" }, css["key"])}
      aria-label={t("quickPanel.title")}
      title={t("quickPanel.title")}
      aria-haspopup="dialog"
      aria-expanded={isOpen}
      data-quick-key
      onClick={() => {
        onPress?.();
        panel.toggle();
      }}
    >
      <svg className={css["glyph"]} viewBox="0 0 24 24" aria-hidden="true">
        <path d="M4.5 6h15M4.5 12h9M4.5 18h12M18 10.5v3M16.5 12h3" />
      </svg>
    </button>
  );
}

/** The switches of the panel. They hold as long as the page and do nothing else (specification, template leftover). */
const SWITCHES = ["notifications", "cloudSync", "retroThrusters"] as const;
type QuickSwitch = (typeof SWITCHES)[number];

type QuickPanelState = {
  readonly isOpen: boolean;
  readonly load: "loading" | "ready" | "failed";
  readonly data: QuickPanelData;
  readonly on: Readonly<Record<QuickSwitch, boolean>>;
};

type QuickPanel = {
  readonly now: Live<QuickPanelState>;
  toggle(): void;
  close(): void;
  flip(which: QuickSwitch, on: boolean): void;
  /** Reads events and notes. */
  read(): Promise<void>;
};

/** The quick panel as long as the page. `ask` returns undefined: no player is signed in, and nothing is shown. */
export function createQuickPanel(ask: () => Promise<ApiAnswer<QuickPanelData>> | undefined): QuickPanel {
  const store = createStore<QuickPanelState>(() => ({
    ...{ isOpen: false, load: "loading", data: { events: [], notes: [] } },
    on: { notifications: true, cloudSync: false, retroThrusters: false },
  }));
  async function read(): Promise<void> {
    const answer = await (ask() ?? { ok: true as const, data: { events: [], notes: [] } });
    // The entries read before are shown until newer ones are known.
    if (answer.ok) store.setState({ load: "ready", data: answer.data });
    else if (store.getState().load !== "ready") store.setState({ load: "failed" });
  }
  return {
    now: store,
    toggle: () => store.setState(({ isOpen }) => ({ isOpen: !isOpen })),
    close: () => store.setState({ isOpen: false }),
    flip: (which, on) => store.setState((state) => ({ on: { ...state.on, [which]: on } })),
    read,
  };
}
