/// The talkers whose sentences belong to one receiver. Pure.
enum TalkerFamily: Hashable, Sendable {
  /// GNSS receivers: a receiver of several constellations uses GN for the position, and GP, GL, GA
  /// and others for their satellites.
  case gnss
  /// Another device, such as II for integrated instruments or AI for an AIS transponder.
  case other(String)

  init(_ talker: String) {
    switch talker {
    case "GN", "GP", "GL", "GA", "GB", "BD", "GQ", "QZ", "GI": self = .gnss
    default: self = .other(talker)
    }
  }

  /// The family in the name of a device. A talker has two characters; all that have not share a
  /// label, since names are kept for the life of the process.
  var label: String {
    switch self {
    case .gnss: "GNSS"
    case .other(let talker): talker.utf8.count == 2 ? talker : "other"
    }
  }
}
