import type { ReactNode } from "react";
import { useText } from "../../shared/i18n/use-text.ts";
import css from "./footer.module.css";
import type { InfoLink } from "./navbar.tsx";
import { UI_VERSION } from "./player-facts.tsx";

type FooterProps = {
  readonly info: string;
  readonly showVersion: boolean;
  readonly infoLinks: readonly InfoLink[];
  /** What a layout puts before it. */
  readonly children?: ReactNode;
};

/** The end of every page: the operator's information bar, the info pages, the version. */
export function Footer({ info, showVersion, infoLinks, children }: FooterProps) {
  const { t } = useText();
  // A version alone is no reason for a footer.
  if (info === "" && infoLinks.length === 0 && !children) return null;
  return (
    <footer className={css["footer"]} data-region="footer">
      {children}
      {info !== "" && (
        <p className={css["info"]} dir="auto">
          {info}
        </p>
      )}
      {infoLinks.length > 0 && (
        <ul className={css["links"]} aria-label={t("shell.infoPages")}>
          {infoLinks.map(({ id, label, open }) => (
            <li key={id}>
              <button type="button" aria-haspopup="dialog" onClick={open}>
                {label}
              </button>
            </li>
          ))}
        </ul>
      )}
      {showVersion && (
        <p className={`${css["version"]} num`}>
          <bdi>{UI_VERSION}</bdi>
        </p>
      )}
    </footer>
  );
}
