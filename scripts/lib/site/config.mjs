// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
//
// VitePress's configuration: scripts/site copies it beside the pages. The pages are written for GitHub; what leads from
// one to another there does so here, and what leads to another file of the project leads to that file at GitHub.
import { existsSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { defineConfig } from 'vitepress'

const ROOT = process.env.SITE_PROJECT
const PAGES = process.cwd()
const REPOSITORY = /<url>(.*?)<\/url>\s*<inceptionYear>/.exec(readFileSync(path.join(ROOT, 'pom.xml'), 'utf8'))[1]

// As GitHub names headings.
function anchor(heading) {
  return heading.toLowerCase().trim().replace(/[^\p{L}\p{N} _-]/gu, '').replaceAll(' ', '-')
}

// The name under which a file of the project is a page, or nothing.
function page(file) {
  const name = file.replace(/README\.md$/, 'index.md')
  return name.endsWith('.md') && existsSync(path.join(PAGES, name)) ? name : undefined
}

function destination(href, from) {
  if (/^[a-z]+:|^#/.test(href)) {
    return href
  }
  const [target, fragment] = href.split('#')
  // The page of a folder has the name README.md where the links were written.
  const file = path.join(path.dirname(from), target)
  const suffix = fragment === undefined ? '' : '#' + fragment
  const name = page(file)
  if (name) {
    return '/' + name + suffix
  }
  if (!existsSync(path.join(ROOT, file))) {
    throw new Error(`${from}: ${href} leads nowhere`)
  }
  const kind = statSync(path.join(ROOT, file)).isDirectory() ? 'tree' : 'blob'
  return `${REPOSITORY}/${kind}/main/${file}${suffix}`
}

function rewriteLinks(md) {
  md.core.ruler.push('links', state => {
    for (const block of state.tokens) {
      for (const token of block.children ?? []) {
        if (token.type === 'link_open') {
          token.attrSet('href', destination(token.attrGet('href'), state.env.relativePath))
        }
      }
    }
  })
}

// The sections of docs/README.md, and the pages that the first columns of their tables name.
function sidebar() {
  const groups = []
  for (const line of readFileSync(path.join(ROOT, 'docs/README.md'), 'utf8').split('\n')) {
    if (line.startsWith('## ')) {
      groups.push({ text: line.slice(3), items: [] })
    } else if (line.startsWith('| [')) {
      for (const [, text, href] of line.split(' | ')[0].matchAll(/\[([^\]]+)\]\(([^)]+)\)/g)) {
        groups.at(-1).items.push({ text, link: destination(href, 'docs/index.md').replace(/\.md$/, '') })
      }
    }
  }
  return groups.filter(group => group.items.length > 0)
}

export default defineConfig({
  lang: 'en',
  title: 'rdma4j',
  description: 'RDMA and GPUDirect for Java through the Foreign Function and Memory API',
  base: process.env.SITE_BASE,
  // The tables are many and wide. They scroll within themselves; this makes it rare.
  head: [['style', {}, '.vp-doc table { font-size: 14px } .vp-doc :is(th, td) { padding: 4px 10px; line-height: 20px; vertical-align: top }']],
  markdown: { anchor: { slugify: anchor }, config: rewriteLinks },
  themeConfig: {
    outline: [2, 3],
    search: { provider: 'local' },
    sidebar: sidebar(),
    nav: [
      { text: 'Documentation', link: '/docs/' },
      {
        text: 'Javadoc',
        // No pages: the browser must load them.
        items: [
          { text: 'verbs, cuda, gpudirect', link: '/javadoc/index.html', target: '_self' },
          { text: 'testing', link: '/javadoc/testing/index.html', target: '_self' },
          { text: 'Netty', link: '/javadoc/netty/index.html', target: '_self' },
          { text: 'Micrometer', link: '/javadoc/micrometer/index.html', target: '_self' },
        ],
      },
      { text: 'GitHub', link: REPOSITORY },
    ],
  },
})
