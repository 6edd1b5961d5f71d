import type { Settings } from "@longarm/contract/settings";
import { useText } from "../i18n/use-text.ts";
import css from "./legal-line.module.css";
import { operatorText } from "./operator-text.ts";

type LegalProps = Pick<Settings, "minimumAge" | "loginNotice"> & { readonly className?: string | undefined };

/** For whom the casino is, and the operator's licence line. */
export function LegalLine({ minimumAge, loginNotice, className = "" }: LegalProps) {
  const { t, language } = useText();
  const notice = operatorText(loginNotice, language);
  if (minimumAge === 0 && notice === "") return null;
  return (
    <div className={`${css["legal"]} ${className}`}>
      {minimumAge > 0 && (
        <b className="num">
          <bdi aria-hidden="true">{minimumAge}+</bdi>
          <span className="visually-hidden">{t("auth.minimumAge", { age: minimumAge })}</span>
        </b>
      )}
      {notice !== "" && <p>{notice}</p>}
    </div>
  );
}
