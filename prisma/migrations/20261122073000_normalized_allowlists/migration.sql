-- Allowlist entries are stored without a leading www. and once each. Entries were host names in lower case before, so
-- scheme, path and port are removed only from rows that were written by hand. An entry never becomes empty here: an
-- empty allowlist allows every page.
UPDATE "deployment" d
SET "allowlist" = normalized.hosts
FROM (
  SELECT id, array_agg(host ORDER BY place) AS hosts
  FROM (
    SELECT id, host, min(place) AS place
    FROM "deployment"
    CROSS JOIN LATERAL unnest("allowlist") WITH ORDINALITY AS entry (text, place)
    CROSS JOIN LATERAL (
      SELECT regexp_replace(lower(trim(entry.text)), '^[a-z][a-z0-9+.-]*://|[/?#].*$', '', 'g') AS authority
    ) AS without_path
    CROSS JOIN LATERAL (
      SELECT regexp_replace(regexp_replace(authority, '[.]?(:[0-9]*)?$', ''), '^(www[.])+(?=[^.]+[.])', '') AS stripped
    ) AS without_www
    CROSS JOIN LATERAL (SELECT coalesce(nullif(stripped, ''), entry.text) AS host) AS kept
    GROUP BY id, host
  ) AS entries
  GROUP BY id
) AS normalized
WHERE d.id = normalized.id AND d."allowlist" <> normalized.hosts;
