/** User names and passwords in addresses, and tokens in their queries, are for nobody to read. `ssh://git@…` has none. */
export function withoutCredentials(text: string): string {
  return text
    .replace(
      /\b([a-z][a-z0-9+.-]{0,20}:\/\/)([^\s/?#'"]{1,2000})@/gi,
      (whole, scheme: string, who: string) =>
        /ssh/i.test(scheme) && !who.includes(":") ? whole : `${scheme}***@`,
    )
    .replace(/([?&][\w-]*(?:token|secret|passw|key|auth)[\w-]*=)[^&\s'"]+/gi, "$1***");
}
