import { Link } from "@tanstack/react-router";
import { Suspense, useEffect } from "react";
import { useText } from "../../../shared/i18n/use-text.ts";
import { paths } from "../../../shared/paths/paths.ts";
import { useHost } from "../host.ts";
import { SimpleLayout } from "../page-layouts/page-layout.tsx";
import { CodeSample } from "../parts/copy.tsx";
import type { Chapter } from "./chapters.tsx";
import { PARTS_OF_GUIDE } from "./chapters.tsx";
import css from "./guide.module.css";

/** How to build on the interface, and every part of it in every state: a page that explains itself by what it is made of. */
export function GuidePage({ title }: { readonly title: string }) {
  const { t } = useText();
  const contents = t("guide.contents");
  return (
    <SimpleLayout
      header={
        <div className={css["head"]}>
          <h1 tabIndex={-1}>{title}</h1>
          <p>{t("guide.subtitle")}</p>
        </div>
      }
      start={{ label: contents, header: <h2>{contents}</h2>, content: (leave) => <Contents leave={leave} /> }}
    >
      <div className={css["chapters"]}>
        {PARTS_OF_GUIDE.map((part) => (
          <section key={part.title} aria-label={t(part.title)}>
            <p className="plate">{t(part.title)}</p>
            {part.chapters.map((chapter) => (
              <ChapterText key={chapter.id} {...chapter} />
            ))}
          </section>
        ))}
      </div>
    </SimpleLayout>
  );
}

function Contents({ leave }: { readonly leave: (to: string) => void }) {
  const { t } = useText();
  return (
    <nav className={css["contents"]} aria-label={t("guide.contents")}>
      {PARTS_OF_GUIDE.map((part) => (
        <div key={part.title}>
          <p className="plate">{t(part.title)}</p>
          <ul>
            {part.chapters.map(({ id, title }) => (
              <li key={id}>
                <Link
                  to={paths.documentation}
                  hash={id}
                  activeOptions={{ includeHash: true }}
                  onClick={() => leave(id)}
                >
                  {t(title)}
                </Link>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}

function ChapterText({ id, title, texts, code, Live: Own, states }: Chapter) {
  const { t } = useText();
  const host = useHost();
  const Live = states === undefined ? Own : host.states[states];
  return (
    <article className={css["chapter"]} aria-labelledby={id}>
      <h2 id={id} tabIndex={-1}>
        {t(title)}
      </h2>
      {texts.map((text) => (
        <p key={text}>{t(text)}</p>
      ))}
      {Live && (
        <div className={css["live"]}>
          <Suspense fallback={<p>{t("app.loading")}</p>}>
            <Live />
            <Settled />
          </Suspense>
        </div>
      )}
      {code && <CodeSample name={t(title)} code={code} />}
    </article>
  );
}

/** What is drawn late moves the page: the chapter of the address is gone to again. */
function Settled() {
  useEffect(() => document.getElementById(location.hash.slice(1))?.scrollIntoView(), []);
  return null;
}
