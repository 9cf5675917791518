extension Monitor {
  /// Throws if a name is not valid for a monitor. Storages use the names as file names.
  package static func check(name: String) throws(LocationError) {
    let isValid = name.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
        UInt8(ascii: "."):
        true
      default: false
      }
    }
    guard isValid, (1...128).contains(name.utf8.count), !name.hasPrefix(".") else {
      throw LocationError(
        .invalidValue,
        "A monitor's name must have 1 to 128 letters, digits, '-', '_' and '.', and not begin with "
          + "'.'; got \"\(String(printable: name))\".")
    }
  }

  /// Throws if an identifier cannot be stored.
  static func check(identifier: String) throws(LocationError) {
    guard (1...1_024).contains(identifier.utf8.count), !identifier.utf8.contains(0) else {
      throw LocationError(
        .invalidValue,
        "A condition's identifier must have 1 to 1,024 bytes and no NUL; got "
          + "\"\(String(printable: identifier))\".")
    }
  }
}
