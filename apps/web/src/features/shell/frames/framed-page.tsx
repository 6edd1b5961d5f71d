import type { PageProps } from "../chrome.ts";
import { useChrome } from "../chrome.ts";
import css from "./framed-page.module.css";

/** A page between the bars of the template's layouts: its title, then its content. */
export function FramedPage({ title, subtitle, children }: PageProps) {
  const { notice, showHeader } = useChrome();
  return (
    <>
      <div className={css["notice"]}>{notice}</div>
      <main id="page" tabIndex={-1} className={css["page"]} data-whole={title === undefined || undefined}>
        {title !== undefined && (
          <div className={showHeader ? css["header"] : "visually-hidden"}>
            <h1 tabIndex={-1}>{title}</h1>
            {subtitle !== undefined && <p>{subtitle}</p>}
          </div>
        )}
        {children}
      </main>
    </>
  );
}
