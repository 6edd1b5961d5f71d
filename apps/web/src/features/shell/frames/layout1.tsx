import type { LayoutConfigChoice } from "@longarm/contract/template/appearance";
import type { LayoutConfig } from "../../../shared/appearance/layout-config.ts";
import { useText } from "../../../shared/i18n/use-text.ts";
import { useUnfolding } from "../use-unfolding.ts";
import css from "./frame.module.css";
import type { FrameParts } from "./frame-props.ts";
import { Framing } from "./framing.tsx";
import type { NavbarFacts } from "./navbar.tsx";
import { FramedNavbar } from "./navbar.tsx";

/**
 * Vertical navigation beside the page. A bar that is `above` reaches over the navigation too; one that is `below` stands beside it, and there
 * a static one scrolls with the content.
 */
export function Layout1({ config, toolbar, navbar, footer, startPanel, endPanel, children }: FrameParts) {
  const { mode, scroll } = config;
  const bar = toolbar && (
    <header className={css["bar"]} data-region="toolbar" data-style={config.toolbar.style}>
      {toolbar}
    </header>
  );
  const end = footer && (
    <div className={css["end"]} data-style={config.footer.style}>
      {footer}
    </div>
  );
  const [barAbove, endAbove] = [config.toolbar.position === "above", config.footer.position === "above"];
  const scrollsWithin = scroll === "content";
  /** Static bars belong to what scrolls. */
  const [barInside, endInside] = [config.toolbar, config.footer].map(
    ({ style }) => style === "static" && scrollsWithin,
  );
  return (
    <Framing
      endPanel={endPanel}
      data-mode={mode}
      data-scroll={scroll}
      data-bar-above={(barAbove && bar && (scrollsWithin || config.toolbar.style === "fixed")) || undefined}
      data-end-above={(endAbove && end && (scrollsWithin || config.footer.style === "fixed")) || undefined}
    >
      {barAbove && bar}
      <div className={css["row"]}>
        {startPanel}
        {navbar}
        <div className={css["column"]}>
          {!barAbove && !barInside && bar}
          <div className={css["content"]} id="content" data-region="main">
            {!barAbove && barInside && bar}
            <div className={css["page"]}>{children}</div>
            {!endAbove && endInside && end}
          </div>
          {!endAbove && !endInside && end}
        </div>
      </div>
      {endAbove && end}
    </Framing>
  );
}

type NavigationProps = {
  readonly config: LayoutConfig;
  readonly facts: NavbarFacts;
  readonly onConfig: (change: LayoutConfigChoice) => void;
};

/** The navigation beside the page: 280 px, or 64 when it is folded; then it opens over the page under a resting pointer. */
export function SideNavigation({ config, facts, onConfig }: NavigationProps) {
  const { t } = useText();
  const { folded, position } = config.navbar;
  const { over, fold, handlers } = useUnfolding(folded);
  function foldTo(next: boolean) {
    fold();
    onConfig({ navbar: { folded: next } });
  }
  const headKey = folded
    ? ({ icon: "unfold", label: t("shell.unfold"), onPress: () => foldTo(false) } as const)
    : ({ icon: "fold", label: t("shell.fold"), onPress: () => foldTo(true) } as const);
  return (
    <div
      className={css["side"]}
      data-position={position}
      data-folded={folded || undefined}
      data-over={over || undefined}
      {...handlers}
    >
      <FramedNavbar {...facts} narrow={folded && !over} headKey={headKey} onWiden={() => foldTo(false)} />
    </div>
  );
}
