import CSystemd

/// A message of D-Bus, received or to be sent. Confined to the thread of its connection.
@safe final class BusMessage {
  enum Kind: Hashable, Sendable { case call, answer, error, signal, other }

  /// The maximum number of arguments, members of a structure and entries of a dictionary.
  private static let maximumCount = 64
  /// The maximum number of containers that surround a value.
  private static let maximumDepth = 6

  // SAFETY: a reference that this object owns and releases once, in deinit.
  let raw: OpaquePointer

  /// Takes ownership of a reference.
  init(owning raw: OpaquePointer) { unsafe self.raw = raw }

  deinit { unsafe sd_bus_message_unref(raw) }

  var kind: Kind {
    var type: UInt8 = 0
    guard unsafe sd_bus_message_get_type(raw, &type) >= 0 else { return .other }
    switch Int(type) {
    case Int(SD_BUS_MESSAGE_METHOD_CALL): return .call
    case Int(SD_BUS_MESSAGE_METHOD_RETURN): return .answer
    case Int(SD_BUS_MESSAGE_METHOD_ERROR): return .error
    case Int(SD_BUS_MESSAGE_SIGNAL): return .signal
    default: return .other
    }
  }

  /// The cookie of the call that this message answers; nil if it answers none.
  var answeredCookie: UInt64? {
    var cookie: UInt64 = 0
    return unsafe sd_bus_message_get_reply_cookie(raw, &cookie) >= 0 ? cookie : nil
  }

  var sender: String { unsafe Self.text(sd_bus_message_get_sender(raw)) ?? "" }
  var path: String { unsafe Self.text(sd_bus_message_get_path(raw)) ?? "" }
  var interface: String { unsafe Self.text(sd_bus_message_get_interface(raw)) ?? "" }
  var member: String { unsafe Self.text(sd_bus_message_get_member(raw)) ?? "" }

  /// The error; nil if the message is none.
  var error: BusError? {
    guard let error = unsafe sd_bus_message_get_error(raw)?.pointee else { return nil }
    return unsafe BusError(
      name: Self.text(error.name) ?? "", message: Self.text(error.message) ?? "")
  }

  private static func text(_ characters: UnsafePointer<CChar>?) -> String? {
    // SAFETY: libsystemd's strings end with NUL, and are valid as long as their message.
    unsafe characters.map { unsafe String(cString: $0) }
  }
}

// MARK: - Reading

extension BusMessage {
  /// Reads all arguments; nil if the message is malformed or has too many. Can be called once.
  func readArguments() -> [BusValue]? { readAll(depth: 0) }

  /// Reads values until the end of the current container.
  private func readAll(depth: Int) -> [BusValue]? {
    var values: [BusValue] = []
    while true {
      var type: CChar = 0
      var contents: UnsafePointer<CChar>?
      let status = unsafe sd_bus_message_peek_type(raw, &type, &contents)
      if status == 0 { return values }
      guard status > 0, values.count < Self.maximumCount,
        let value = unsafe readValue(type, Self.text(contents) ?? "", depth)
      else { return nil }
      values.append(value)
    }
  }

  private func readValue(_ type: CChar, _ contents: String, _ depth: Int) -> BusValue? {
    guard depth < Self.maximumDepth else { return nil }
    switch UInt8(bitPattern: type) {
    case UInt8(ascii: "s"): return readText(type).map(BusValue.string)
    case UInt8(ascii: "o"): return readText(type).map(BusValue.objectPath)
    case UInt8(ascii: "b"):
      var value: Int32 = 0
      return read(type, &value) ? .boolean(value != 0) : nil
    case UInt8(ascii: "u"):
      var value: UInt32 = 0
      return read(type, &value) ? .uint32(value) : nil
    case UInt8(ascii: "t"):
      var value: UInt64 = 0
      return read(type, &value) ? .uint64(value) : nil
    case UInt8(ascii: "d"):
      var value: Double = 0
      return read(type, &value) ? .double(value) : nil
    case UInt8(ascii: "v"): return readContainer(type, contents, depth).map(BusValue.variant)
    case UInt8(ascii: "r"):
      return readMembers(type, contents, depth).map(BusValue.structure)
    case UInt8(ascii: "a") where contents == "{sv}":
      return readDictionary(depth).map(BusValue.dictionary)
    default: return unsafe sd_bus_message_skip(raw, nil) >= 0 ? .unsupported : nil
    }
  }

  private func read(_ type: CChar, _ value: inout some BitwiseCopyable) -> Bool {
    // SAFETY: libsystemd writes a value of the type that the caller chose for `type`.
    unsafe withUnsafeMutablePointer(to: &value) {
      unsafe sd_bus_message_read_basic(raw, type, $0) > 0
    }
  }

  private func readText(_ type: CChar) -> String? {
    var text: UnsafePointer<CChar>?
    // SAFETY: libsystemd stores a pointer to a string inside the message.
    let status = unsafe withUnsafeMutablePointer(to: &text) {
      unsafe sd_bus_message_read_basic(raw, type, $0)
    }
    return status > 0 ? unsafe Self.text(text) : nil
  }

  private func readMembers(_ type: CChar, _ contents: String, _ depth: Int) -> [BusValue]? {
    guard unsafe sd_bus_message_enter_container(raw, type, contents) > 0,
      let members = readAll(depth: depth + 1), unsafe sd_bus_message_exit_container(raw) >= 0
    else { return nil }
    return members
  }

  private func readContainer(_ type: CChar, _ contents: String, _ depth: Int) -> BusValue? {
    guard let members = readMembers(type, contents, depth), members.count == 1 else { return nil }
    return members[0]
  }

  private func readDictionary(_ depth: Int) -> [String: BusValue]? {
    guard unsafe sd_bus_message_enter_container(raw, Self.array, "{sv}") > 0 else { return nil }
    var entries: [String: BusValue] = [:]
    while true {
      let status = unsafe sd_bus_message_enter_container(raw, Self.entry, "sv")
      if status == 0 { break }
      guard status > 0, entries.count < Self.maximumCount, let members = readAll(depth: depth + 1),
        members.count == 2, let key = members[0].string, let value = members[1].content,
        unsafe sd_bus_message_exit_container(raw) >= 0
      else { return nil }
      entries[key] = value
    }
    return unsafe sd_bus_message_exit_container(raw) >= 0 ? entries : nil
  }

  private static let array = CChar(bitPattern: UInt8(ascii: "a"))
  private static let entry = CChar(bitPattern: UInt8(ascii: "e"))
}

// MARK: - Writing

extension BusMessage {
  /// Appends arguments. Returns false if that fails.
  func append(_ values: [BusValue]) -> Bool { values.allSatisfy(append) }

  private func append(_ value: BusValue) -> Bool {
    switch value {
    case .string(let text): return append(text, "s")
    case .objectPath(let text): return append(text, "o")
    case .boolean(let value): return append(Int32(value ? 1 : 0), "b")
    case .uint32(let value): return append(value, "u")
    case .uint64(let value): return append(value, "t")
    case .double(let value): return append(value, "d")
    case .variant(let content):
      return container("v", content.signature) { append(content) }
    case .structure(let members):
      return container("r", members.map(\.signature).joined()) { append(members) }
    case .dictionary(let entries):
      return container("a", "{sv}") {
        entries.allSatisfy { key, value in
          container("e", "sv") { append([.string(key), .variant(value)]) }
        }
      }
    case .unsupported: return false
    }
  }

  private func append(_ text: String, _ type: Unicode.Scalar) -> Bool {
    guard !text.utf8.contains(0) else { return false }
    return unsafe sd_bus_message_append_basic(raw, Self.code(type), text) >= 0
  }

  private func append(_ value: some BitwiseCopyable, _ type: Unicode.Scalar) -> Bool {
    // SAFETY: libsystemd reads a value of the type that the caller chose for `type`.
    unsafe withUnsafePointer(to: value) {
      unsafe sd_bus_message_append_basic(raw, Self.code(type), $0) >= 0
    }
  }

  private func container(
    _ type: Unicode.Scalar, _ contents: String, _ body: () -> Bool
  ) -> Bool {
    guard unsafe sd_bus_message_open_container(raw, Self.code(type), contents) >= 0, body() else {
      return false
    }
    return unsafe sd_bus_message_close_container(raw) >= 0
  }

  private static func code(_ type: Unicode.Scalar) -> CChar {
    CChar(truncatingIfNeeded: type.value)
  }
}
