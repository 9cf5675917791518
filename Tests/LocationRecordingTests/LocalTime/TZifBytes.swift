/// Builds the file of a time zone: RFC 8536, section 3. Its counts may contradict its content.
struct TZifBytes {
  struct LocalTime {
    var offset: Int32
    var abbreviation: String
  }

  struct Data {
    var transitions: [(time: Int64, type: UInt8)] = []
    var types: [LocalTime] = []
    var leapSeconds: [(time: Int64, correction: Int32)] = []
    /// Flags that readers skip: one for each type, or none at all.
    var standardFlags: [UInt8] = []
    /// Flags that readers skip, like ``standardFlags``.
    var universalFlags: [UInt8] = []
    /// Replaces the counts of the header, in its order.
    var counts: [UInt32]?
    /// Replaces the offsets of the abbreviations.
    var abbreviationIndex: UInt8?
    /// Appended to the abbreviations, each of which ends with NUL.
    var characters: [UInt8] = []

    func bytes(version: UInt8, timeSize: Int) -> [UInt8] {
      var names: [UInt8] = []
      var records: [UInt8] = []
      for type in types {
        let index = abbreviationIndex ?? UInt8(truncatingIfNeeded: names.count)
        records += bigEndian(Int64(type.offset), 4) + [0, index]
        names += Array(type.abbreviation.utf8) + [0]
      }
      names += characters
      let counts =
        counts
        ?? [
          universalFlags.count, standardFlags.count, leapSeconds.count, transitions.count,
          types.count, names.count,
        ].map { UInt32($0) }
      var bytes = Array("TZif".utf8) + [version] + [UInt8](repeating: 0, count: 15)
      for count in counts { bytes += bigEndian(Int64(count), 4) }
      for transition in transitions { bytes += bigEndian(transition.time, timeSize) }
      bytes += transitions.map(\.type)
      bytes += records + names
      for leapSecond in leapSeconds {
        bytes += bigEndian(leapSecond.time, timeSize)
        bytes += bigEndian(Int64(leapSecond.correction), 4)
      }
      return bytes + standardFlags + universalFlags
    }

    private func bigEndian(_ number: Int64, _ size: Int) -> [UInt8] {
      (0..<size).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }
  }

  /// The version: NUL or a digit.
  var version = UInt8(ascii: "2")
  /// The data that readers of version 1 see.
  var oldData = Data(types: [LocalTime(offset: 0, abbreviation: "")])
  var data = Data()
  var footer = "\n\n"

  /// The file, by default as `zic -b slim` writes it, with empty old data.
  var bytes: [UInt8] {
    oldData.bytes(version: version, timeSize: 4) + data.bytes(version: version, timeSize: 8)
      + Array(footer.utf8)
  }

  /// A file of version 1.
  static func version1(_ data: Data) -> [UInt8] { data.bytes(version: 0, timeSize: 4) }

  /// Three transitions, flags and a rule; the old data has one transition.
  static var full: Self {
    let types = [
      LocalTime(offset: 3208, abbreviation: "LMT"), LocalTime(offset: 3600, abbreviation: "CET"),
      LocalTime(offset: 7200, abbreviation: "CEST"),
    ]
    return Self(
      oldData: Data(transitions: [(0, 1)], types: types, standardFlags: [0, 1, 1]),
      data: Data(
        transitions: [(-2_422_054_408, 1), (1_774_746_000, 2), (1_792_890_000, 1)], types: types,
        standardFlags: [0, 1, 1], universalFlags: [0, 1, 1]),
      footer: "\nCET-1CEST,M3.5.0,M10.5.0/3\n")
  }
}
