import { Tabs } from "@base-ui/react/tabs";
import type { ReactNode } from "react";
import css from "./tabs.module.css";

/** Holds the row and the panels of tabs, wherever they are inside; it takes no room of its own. */
export function TabRoot({ start, children }: { readonly start: string; readonly children: ReactNode }) {
  return (
    <Tabs.Root defaultValue={start} className={css["root"]}>
      {children}
    </Tabs.Root>
  );
}

type TabRowProps = {
  /** What the tabs choose between, for screen readers. */
  readonly label: string;
  readonly tabs: readonly { readonly value: string; readonly label: string }[];
  readonly className?: string;
};

/** The tabs side by side; where they are too many the row scrolls. Arrow keys move along it and open. */
export function TabRow({ label, tabs, className = "" }: TabRowProps) {
  return (
    <Tabs.List className={`${css["row"]} ${className}`} aria-label={label} activateOnFocus>
      {tabs.map((tab) => (
        <Tabs.Tab key={tab.value} value={tab.value} className={css["tab"]}>
          {tab.label}
        </Tabs.Tab>
      ))}
    </Tabs.List>
  );
}

/** What a tab shows while it is the open one. */
export function TabPanel({ value, children }: { readonly value: string; readonly children: ReactNode }) {
  return (
    <Tabs.Panel value={value} className={css["panel"]}>
      {children}
    </Tabs.Panel>
  );
}
