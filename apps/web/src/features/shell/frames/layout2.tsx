import { useText } from "../../../shared/i18n/use-text.ts";
import { HorizontalNavigation } from "../../../shared/navigation/horizontal.tsx";
import { Logo } from "../../../shared/ui/logo.tsx";
import { LogoLink } from "../navbar.tsx";
import css from "./frame.module.css";
import type { FrameParts } from "./frame-props.ts";
import { Framing } from "./framing.tsx";
import type { NavbarFacts } from "./navbar.tsx";

/** Horizontal navigation in a line above or below the toolbar; the content scrolls under both. */
export function Layout2({ config, toolbar, navbar, footer, startPanel, endPanel, children }: FrameParts) {
  const bar = toolbar && (
    <header className={css["bar"]} data-region="toolbar" data-style="fixed">
      {toolbar}
    </header>
  );
  const end = footer && (
    <div className={css["end"]} data-style={config.footer.style}>
      {footer}
    </div>
  );
  const barAbove = config.toolbar.position === "above";
  const endInside = config.footer.style === "static";
  return (
    <Framing endPanel={endPanel} data-mode={config.mode} data-scroll={config.scroll}>
      {barAbove && bar}
      {navbar}
      {!barAbove && bar}
      <div className={css["row"]}>
        {startPanel}
        <div className={css["column"]}>
          <div className={css["content"]} id="content" data-region="main">
            <div className={css["page"]}>{children}</div>
            {endInside && end}
          </div>
          {!endInside && end}
        </div>
      </div>
    </Framing>
  );
}

/** The navigation in a line of 64 px. */
export function TopNavigation({ facts }: { facts: NavbarFacts }) {
  const { t } = useText();
  return (
    <nav className={css["top"]} data-region="navbar" aria-label={t("shell.menu")}>
      <div className={css["topLine"]}>
        <LogoLink onChosen={undefined}>
          <Logo />
        </LogoLink>
        <HorizontalNavigation items={facts.tree} />
        {facts.actions}
        {facts.extras}
      </div>
    </nav>
  );
}
