// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
//
// check-links FOLDER BASE PROJECT: every link of the site in FOLDER leads to a file there, and to a place in it where it
// names one; links into the project's repository lead to a file of PROJECT. Status 1 and a line for each that does not.
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs'
import path from 'node:path'

const [folder, base, project] = process.argv.slice(2)
const SOURCE = /^https:\/\/github\.com\/rdma4j\/rdma4j\/(?:blob|tree)\/main\/([^#]+)/

const texts = new Map()
function text(file) {
  if (!texts.has(file)) {
    // Links in scripts and comments are none.
    texts.set(file, readFileSync(file, 'utf8').replace(/<(script|style)\b[^]*?<\/\1>|<!--[^]*?-->/g, ''))
  }
  return texts.get(file)
}

const places = new Map()
function hasPlace(file, name) {
  if (!places.has(file)) {
    places.set(file, new Set(Array.from(text(file).matchAll(/\s(?:id|name)="([^"]*)"/g), match => decoded(match[1]))))
  }
  return places.get(file).has(name)
}

function decoded(attribute) {
  return attribute.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&')
}

function fault(from, href) {
  const source = SOURCE.exec(href)
  if (source) {
    return existsSync(path.join(project, decodeURI(source[1]))) ? undefined : 'no such file in the project'
  }
  if (/^[a-z]+:/.test(href)) {
    return undefined
  }
  const [target, fragment] = href.split('#')
  let file = from
  if (target.startsWith('/')) {
    if (!target.startsWith(base)) {
      return `not below ${base}`
    }
    file = path.join(folder, decodeURI(target.slice(base.length)))
  } else if (target !== '') {
    file = path.join(path.dirname(from), decodeURI(target))
  }
  if (existsSync(file) && statSync(file).isDirectory()) {
    file = path.join(file, 'index.html')
  }
  if (!existsSync(file)) {
    return 'no such file'
  }
  return !fragment || hasPlace(file, decodeURIComponent(fragment)) ? undefined : 'no such place in that page'
}

let checked = 0
const faults = []
for (const name of readdirSync(folder, { recursive: true })) {
  if (name.endsWith('.html')) {
    const from = path.join(folder, name)
    for (const [, attribute] of text(from).matchAll(/\s(?:href|src)="([^"]*)"/g)) {
      checked++
      const found = fault(from, decoded(attribute).replace(/\?.*?(?=#|$)/, ''))
      if (found) {
        faults.push(`${name}: ${attribute}: ${found}`)
      }
    }
  }
}
faults.forEach(line => console.error(line))
console.error(`site: ${checked} links, ${faults.length} lead nowhere`)
process.exit(faults.length === 0 && checked > 0 ? 0 : 1)
