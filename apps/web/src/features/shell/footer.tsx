import type { Settings } from "@longarm/contract/settings";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import type { ReactNode } from "react";
import { LegalLine, operatorText } from "../../shared/contacts/contacts.tsx";
import css from "./footer.module.css";
import type { InfoLink } from "./navbar.tsx";
import { InfoLinks, UI_VERSION } from "./navbar.tsx";

type FooterProps = {
  readonly settings: Pick<Settings, "footerInfo" | "minimumAge" | "loginNotice">;
  readonly showVersion: boolean;
  readonly infoLinks: readonly InfoLink[];
  /** What a layout puts before it. */
  readonly children?: ReactNode;
};

/** The end of every page: the operator's information bar, the info pages, for whom the casino is, the version. */
export function Footer({ settings, showVersion, infoLinks, children }: FooterProps) {
  const { language } = useText();
  const { footerInfo: info, minimumAge, loginNotice } = settings;
  const hasLegal = minimumAge > 0 || operatorText(loginNotice, language) !== "";
  // A version alone is no reason for a footer.
  if (info === "" && infoLinks.length === 0 && !hasLegal && !children) return null;
  return (
    <footer className={css["footer"]} data-region="footer">
      {children}
      {info !== "" && (
        <p className={css["info"]} dir="auto">
          {info}
        </p>
      )}
      <InfoLinks links={infoLinks} className={css["links"]} />
      <LegalLine {...settings} />
      {showVersion && (
        <p className={`${css["version"]} num`}>
          <bdi>{UI_VERSION}</bdi>
        </p>
      )}
    </footer>
  );
}
