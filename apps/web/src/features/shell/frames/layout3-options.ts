import type { LayoutConfig } from "../../../shared/appearance/layout-config.ts";
import type { ShellProps } from "../shell.tsx";
import css from "./layout3-options.module.css";

/** What the casino shell (layout3) takes of the options of a layout: its width, and bars that are left out. */
export function casinoWith(
  { mode, navbar, toolbar, footer }: LayoutConfig,
  settings: ShellProps["settings"],
): Pick<ShellProps, "settings" | "className"> {
  const classes = [
    mode !== "fullwidth" && css[mode],
    !navbar.display && css["noNavbar"],
    !footer.display && css["noFooter"],
    footer.style === "fixed" && css["fixedFooter"],
  ];
  return {
    settings: { ...settings, header: settings.header && toolbar.display },
    className: classes.filter(Boolean).join(" "),
  };
}
