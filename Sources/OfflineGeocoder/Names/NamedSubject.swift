/// The subject of a name: a place, first-level division or country, as the file numbers them.
enum NamedSubject {
  case place(Int)
  case division(Int)
  case country(Int)

  init(number: UInt32) {
    let index = Int(number & 0x3FFF_FFFF)
    switch number >> 30 {
    case 0: self = .place(index)
    case 1: self = .division(index)
    default: self = .country(index)
    }
  }

  var number: UInt32 {
    switch self {
    case .place(let index): UInt32(truncatingIfNeeded: index)
    case .division(let index): 1 << 30 | UInt32(truncatingIfNeeded: index)
    case .country(let index): 2 << 30 | UInt32(truncatingIfNeeded: index)
    }
  }
}
