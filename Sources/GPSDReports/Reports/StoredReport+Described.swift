package import AsyncLocation
import FoundationEssentials

/// Describes a report with gpsd's names and units.
extension StoredReport {
  package var describedName: String { Self.className ?? String(describing: Self.self) }

  package var members: [DescribedMember] { fieldMembers }

  /// The default of ``members``, separate so that ``SKY`` can extend it: the fields in the order of
  /// their declarations, then the unknown members.
  var fieldMembers: [DescribedMember] {
    let fields = Self.table.specifications.enumerated().compactMap { field, specification in
      let value: Any? =
        switch specification.kind {
        case .number: storage.number(field)
        case .integer: storage.number(field).map { Int($0) }
        case .flag: storage.number(field).map { $0 == 1 }
        case .time: storage.number(field).map { Date(timeIntervalSinceReferenceDate: $0) }
        case .text, .device: storage.text(field)
        case .list: storage.lists[field]
        case .className: nil
        }
      return DescribedMember(specification.key, value, specification.unit?.rawValue ?? "")
    }
    let unknown = storage.unknown.all.sorted { $0.key < $1.key }.map {
      DescribedMember(String(printable: $0.key), $0.value)
    }
    return fields + unknown
  }
}

extension GPSDReport: Described {
  package var describedName: String { String(printable: className) }

  package var members: [DescribedMember] { value.members }
}

extension OpaqueReport: Described {
  package var describedName: String { String(printable: className) }

  package var members: [DescribedMember] {
    [DescribedMember("device", device), DescribedMember("line", line)]
  }
}
