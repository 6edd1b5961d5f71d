import type { LayoutConfigChoice } from "@longarm/contract/template/appearance";
import type { ReactNode } from "react";
import type { LayoutConfig } from "../../../shared/appearance/layout-config.ts";
import type { NavigationItem } from "../../../shared/navigation/navigation-item.ts";
import type { ShellProps } from "../shell.tsx";
import type { TemplatePages } from "../toolbar/toolbar.tsx";

/** What a layout of the template is given: all that the casino shell has, and the parts of its own. */
export type FrameProps = Omit<ShellProps, "morePages" | "moreTool"> & {
  readonly style: "layout1" | "layout2";
  readonly config: LayoutConfig;
  /** A key of the frame changed its layout. */
  readonly onConfig: (change: LayoutConfigChoice) => void;
  /** The template's part of the navigation, below the casino's. */
  readonly templateTree: readonly NavigationItem[];
  readonly pages: TemplatePages;
  /** Toggles of the panels at the end side. */
  readonly panelKeys?: ReactNode;
  /** What stands beside the page at its end side. */
  readonly sidePanel?: ReactNode;
};

/** Bars and content, ready to be put in their places. */
export type FrameParts = {
  readonly config: LayoutConfig;
  /** The line of the toolbar; nothing: it is not shown. */
  readonly toolbar: ReactNode;
  /** The navigation of a large window; nothing: it is not shown. */
  readonly navbar: ReactNode;
  readonly footer: ReactNode;
  readonly startPanel: ReactNode;
  readonly endPanel: ReactNode;
  readonly children: ReactNode;
};
