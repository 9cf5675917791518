import JSONScanning

extension JSONValue {
  /// Creates the value of a valid report line; null for any other line.
  init(line: [UInt8]) {
    let memory = line + [10]
    var scanner = JSONScanner(memory.span, length: line.count)
    scanner.skipSpace()
    self = (try? scanner.value(depth: 0)) ?? .null
  }
}

extension JSONScanner {
  /// Reads a value of any kind. The recursion is limited by ``maximumDepth``.
  ///
  /// - Parameter depth: The number of open brackets around the value.
  mutating func value(depth: Int) throws(Fault) -> JSONValue {
    guard depth <= Self.maximumDepth else { throw .tooDeep }
    switch byte {
    case UInt8(ascii: "\""): return .string(try text().string())
    case UInt8(ascii: "{"):
      var members: [String: JSONValue] = [:]
      guard try !opens(to: UInt8(ascii: "}")) else { return .object(members) }
      repeat {
        let key = try text().string()
        try skipColon()
        members[key] = try value(depth: depth + 1)
      } while try readSeparator(or: UInt8(ascii: "}"))
      return .object(members)
    case UInt8(ascii: "["):
      var elements: [JSONValue] = []
      guard try !opens(to: UInt8(ascii: "]")) else { return .array(elements) }
      repeat {
        elements.append(try value(depth: depth + 1))
      } while try readSeparator(or: UInt8(ascii: "]"))
      return .array(elements)
    default: return JSONValue(token: String(copying: try token()))
    }
  }

  /// Skips an opening bracket. Returns true if the closing bracket follows, which is skipped too.
  private mutating func opens(to bracket: UInt8) throws(Fault) -> Bool {
    position += 1
    skipSpace()
    guard byte == bracket else { return false }
    position += 1
    return true
  }
}
