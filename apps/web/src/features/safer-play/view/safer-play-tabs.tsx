import { Tabs } from "@base-ui/react/tabs";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import type { ReactNode } from "react";
import css from "./safer-play-tabs.module.css";

export type SaferPlayTab = {
  readonly id: string;
  readonly label: string;
  /** A sentence beside the tabs while this one is open. */
  readonly note?: string;
  readonly view: ReactNode;
};

type SaferPlayTabsProps = {
  readonly tabs: readonly SaferPlayTab[];
  /** The open one; any other text, and none, opens the first. */
  readonly open: string | undefined;
  readonly onOpen: (tab: string) => void;
};

/** The parts of the page, one of them open. */
export function SaferPlayTabs({ tabs, open, onOpen }: SaferPlayTabsProps) {
  const { t } = useText();
  const now = tabs.find(({ id }) => id === open) ?? tabs[0];
  return (
    <Tabs.Root value={now?.id ?? null} onValueChange={(next) => onOpen(String(next))}>
      <div className={css["tabs"]}>
        <Tabs.List className={css["row"]} aria-label={t("saferPlay.title")} activateOnFocus={false}>
          {tabs.map(({ id, label }) => (
            <Tabs.Tab key={id} value={id} className={css["tab"]}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {now?.note !== undefined && <p className={css["fine"]}>{now.note}</p>}
      </div>
      {tabs.map(({ id, view }) => (
        <Tabs.Panel key={id} value={id} className={css["panel"]}>
          {view}
        </Tabs.Panel>
      ))}
    </Tabs.Root>
  );
}
