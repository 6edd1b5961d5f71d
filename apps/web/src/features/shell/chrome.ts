import type { ComponentType, ReactNode } from "react";
import { createContext, use } from "react";

export type PageProps = {
  /** Undefined: what stands on the page has a heading of its own, and reaches from edge to edge. */
  readonly title: string | undefined;
  readonly subtitle?: ReactNode;
  readonly children: ReactNode;
};

/** What the shell puts around the content of every page; the pages themselves only have a title. */
export type Chrome = {
  /** Opens the menu's drawer; undefined where the menu stands beside the page. */
  readonly openDrawer: (() => void) | undefined;
  /** Off by the settings: a page has only its floating menu key, and its title for screen readers. */
  readonly showHeader: boolean;
  /** The wallet with its toggle. */
  readonly wallet: ReactNode;
  /** Keys that do something with money, before the wallet: discount and bonus. On small screens they stand in the drawer. */
  readonly actions: ReactNode;
  /** Small keys at the end of the header: search, language, information, support. */
  readonly tools: ReactNode;
  /** The starred items, in a line of their own. */
  readonly shortcuts: ReactNode;
  /** What every page says under its header: the live connection is down. */
  readonly notice: ReactNode;
  /** Draws pages where bars of another layout hold all of this. */
  readonly page?: ComponentType<PageProps>;
};

export const ChromeContext = createContext<Chrome | undefined>(undefined);

export function useChrome(): Chrome {
  const chrome = use(ChromeContext);
  if (chrome === undefined) throw new Error("ChromeContext is missing above this page");
  return chrome;
}
