import AsyncLocation
import Testing

/// A query for a city, with the city's name in GeoNames, its position and its time zone.
struct City: Sendable, CustomTestStringConvertible {
  let query: String
  let name: String
  let country: String
  let coordinate: Coordinate
  let timeZone: String

  var testDescription: String { "\(query) (\(country))" }

  /// - Parameter row: query|name|country|latitude|longitude|time zone; an empty name is the query.
  private init?(_ row: Substring) {
    let fields = row.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
    guard fields.count == 6, let latitude = Double(fields[3]), let longitude = Double(fields[4]),
      let coordinate = try? Coordinate(latitude: latitude, longitude: longitude)
    else { return nil }
    query = fields[0]
    name = fields[1].isEmpty ? fields[0] : fields[1]
    country = fields[2]
    self.coordinate = coordinate
    timeZone = fields[5]
  }

  static let all = table.split(separator: "\n").compactMap(City.init)
  /// The number of rows in the table, including rows that cannot be read.
  static let rows = table.split(separator: "\n").count

  private static let table = """
    Berlin||DE|52.520|13.405|Europe/Berlin
    München|Munich|DE|48.137|11.575|Europe/Berlin
    Hamburg||DE|53.551|9.993|Europe/Berlin
    Köln||DE|50.938|6.960|Europe/Berlin
    Cologne, Germany|Köln|DE|50.938|6.960|Europe/Berlin
    Frankfurt am Main||DE|50.111|8.682|Europe/Berlin
    Düsseldorf||DE|51.227|6.773|Europe/Berlin
    Nürnberg|Nuremberg|DE|49.452|11.077|Europe/Berlin
    Dresden||DE|51.050|13.738|Europe/Berlin
    Leipzig||DE|51.340|12.375|Europe/Berlin
    Vaduz||LI|47.1412|9.5215|Europe/Vaduz
    Zürich||CH|47.377|8.541|Europe/Zurich
    Geneva||CH|46.204|6.143|Europe/Zurich
    Genf|Geneva|CH|46.204|6.143|Europe/Zurich
    Bern||CH|46.948|7.447|Europe/Zurich
    Basel||CH|47.558|7.588|Europe/Zurich
    Luzern||CH|47.050|8.305|Europe/Zurich
    Vienna||AT|48.208|16.372|Europe/Vienna
    Wien|Vienna|AT|48.208|16.372|Europe/Vienna
    Salzburg||AT|47.800|13.044|Europe/Vienna
    Innsbruck||AT|47.263|11.395|Europe/Vienna
    Graz||AT|47.067|15.442|Europe/Vienna
    Paris||FR|48.8566|2.3522|Europe/Paris
    Paris, TX|Paris|US|33.661|-95.556|America/Chicago
    Paris, Texas|Paris|US|33.661|-95.556|America/Chicago
    Lyon||FR|45.749|4.848|Europe/Paris
    Marseille||FR|43.297|5.381|Europe/Paris
    Toulouse||FR|43.604|1.444|Europe/Paris
    Nice||FR|43.703|7.266|Europe/Paris
    Strasbourg||FR|48.584|7.746|Europe/Paris
    Bordeaux||FR|44.840|-0.581|Europe/Paris
    Lille||FR|50.633|3.058|Europe/Paris
    Nantes||FR|47.217|-1.553|Europe/Paris
    London||GB|51.5085|-0.1257|Europe/London
    London, Canada|London|CA|42.983|-81.233|America/Toronto
    Manchester||GB|53.481|-2.237|Europe/London
    Edinburgh||GB|55.952|-3.196|Europe/London
    Glasgow||GB|55.865|-4.258|Europe/London
    Cardiff||GB|51.480|-3.180|Europe/London
    Belfast||GB|54.597|-5.930|Europe/London
    Dublin||IE|53.333|-6.249|Europe/Dublin
    Cork||IE|51.898|-8.471|Europe/Dublin
    Amsterdam||NL|52.374|4.890|Europe/Amsterdam
    Rotterdam||NL|51.922|4.479|Europe/Amsterdam
    The Hague||NL|52.077|4.299|Europe/Amsterdam
    Brussels||BE|50.850|4.349|Europe/Brussels
    Antwerpen|Antwerp|BE|51.220|4.400|Europe/Brussels
    Luxembourg||LU|49.612|6.130|Europe/Luxembourg
    Madrid||ES|40.4165|-3.7026|Europe/Madrid
    Barcelona||ES|41.389|2.159|Europe/Madrid
    Sevilla||ES|37.383|-5.973|Europe/Madrid
    Valencia, Spain|Valencia|ES|39.470|-0.377|Europe/Madrid
    Málaga||ES|36.720|-4.420|Europe/Madrid
    Lisbon||PT|38.717|-9.133|Europe/Lisbon
    Porto||PT|41.150|-8.611|Europe/Lisbon
    Rome||IT|41.892|12.511|Europe/Rome
    Roma, Italy|Rome|IT|41.892|12.511|Europe/Rome
    Milan||IT|45.464|9.190|Europe/Rome
    Naples||IT|40.852|14.268|Europe/Rome
    Turin||IT|45.070|7.687|Europe/Rome
    Venice||IT|45.437|12.333|Europe/Rome
    Florence||IT|43.769|11.256|Europe/Rome
    Valletta||MT|35.8997|14.5147|Europe/Malta
    Athens||GR|37.984|23.728|Europe/Athens
    Thessaloníki||GR|40.640|22.944|Europe/Athens
    Istanbul||TR|41.014|28.950|Europe/Istanbul
    İstanbul|Istanbul|TR|41.014|28.950|Europe/Istanbul
    Ankara||TR|39.920|32.854|Europe/Istanbul
    İzmir||TR|38.413|27.138|Europe/Istanbul
    Copenhagen||DK|55.676|12.566|Europe/Copenhagen
    København|Copenhagen|DK|55.676|12.566|Europe/Copenhagen
    Aarhus|Århus|DK|56.157|10.211|Europe/Copenhagen
    Oslo||NO|59.913|10.746|Europe/Oslo
    Bergen||NO|60.393|5.324|Europe/Oslo
    Tromsø||NO|69.649|18.957|Europe/Oslo
    Longyearbyen||SJ|78.223|15.647|Arctic/Longyearbyen
    Stockholm||SE|59.329|18.069|Europe/Stockholm
    Göteborg|Gothenburg|SE|57.707|11.967|Europe/Stockholm
    Malmö||SE|55.606|13.001|Europe/Stockholm
    Helsinki||FI|60.170|24.935|Europe/Helsinki
    Rovaniemi||FI|66.500|25.717|Europe/Helsinki
    Reykjavík||IS|64.135|-21.895|Atlantic/Reykjavik
    Tallinn||EE|59.437|24.754|Europe/Tallinn
    Riga||LV|56.946|24.106|Europe/Riga
    Vilnius||LT|54.689|25.280|Europe/Vilnius
    Warsaw||PL|52.230|21.011|Europe/Warsaw
    Warszawa|Warsaw|PL|52.230|21.011|Europe/Warsaw
    Kraków||PL|50.061|19.937|Europe/Warsaw
    Krakow|Kraków|PL|50.061|19.937|Europe/Warsaw
    Łódź||PL|51.770|19.474|Europe/Warsaw
    lodz|Łódź|PL|51.770|19.474|Europe/Warsaw
    Gdańsk||PL|54.352|18.649|Europe/Warsaw
    Prague||CZ|50.088|14.421|Europe/Prague
    Praha, CZ|Prague|CZ|50.088|14.421|Europe/Prague
    Brno||CZ|49.195|16.608|Europe/Prague
    Bratislava||SK|48.148|17.107|Europe/Bratislava
    Budapest||HU|47.498|19.040|Europe/Budapest
    Bucharest||RO|44.432|26.106|Europe/Bucharest
    Sofia||BG|42.698|23.322|Europe/Sofia
    Belgrade||RS|44.804|20.465|Europe/Belgrade
    Zagreb||HR|45.814|15.978|Europe/Zagreb
    Ljubljana||SI|46.051|14.505|Europe/Ljubljana
    Sarajevo||BA|43.849|18.356|Europe/Sarajevo
    Tirana||AL|41.328|19.819|Europe/Tirane
    Skopje||MK|41.996|21.431|Europe/Skopje
    Kyiv||UA|50.455|30.524|Europe/Kyiv
    Odesa||UA|46.486|30.744|Europe/Kyiv
    Minsk||BY|53.900|27.567|Europe/Minsk
    Chisinau||MD|47.007|28.858|Europe/Chisinau
    Moscow||RU|55.752|37.618|Europe/Moscow
    Москва|Moscow|RU|55.752|37.618|Europe/Moscow
    Saint Petersburg||RU|59.939|30.314|Europe/Moscow
    Vladivostok||RU|43.106|131.874|Asia/Vladivostok
    Murmansk||RU|68.979|33.092|Europe/Moscow
    Tbilisi||GE|41.694|44.834|Asia/Tbilisi
    Yerevan||AM|40.182|44.515|Asia/Yerevan
    Baku||AZ|40.378|49.892|Asia/Baku
    Tehran||IR|35.694|51.422|Asia/Tehran
    Baghdad||IQ|33.341|44.401|Asia/Baghdad
    Jerusalem||IL|31.769|35.216|Asia/Jerusalem
    Amman||JO|31.955|35.945|Asia/Amman
    Beirut||LB|33.889|35.495|Asia/Beirut
    Riyadh||SA|24.688|46.722|Asia/Riyadh
    Dubai||AE|25.077|55.309|Asia/Dubai
    Doha||QA|25.286|51.533|Asia/Qatar
    Kabul||AF|34.528|69.172|Asia/Kabul
    Karachi||PK|24.861|67.010|Asia/Karachi
    Lahore||PK|31.558|74.351|Asia/Karachi
    New Delhi||IN|28.614|77.209|Asia/Kolkata
    Mumbai||IN|19.073|72.883|Asia/Kolkata
    Bengaluru||IN|12.972|77.594|Asia/Kolkata
    Kolkata||IN|22.563|88.363|Asia/Kolkata
    Chennai||IN|13.088|80.278|Asia/Kolkata
    Kathmandu||NP|27.702|85.321|Asia/Kathmandu
    Dhaka||BD|23.710|90.407|Asia/Dhaka
    Colombo||LK|6.935|79.848|Asia/Colombo
    Yangon||MM|16.805|96.156|Asia/Yangon
    Bangkok||TH|13.754|100.501|Asia/Bangkok
    Hanoi||VN|21.025|105.841|Asia/Bangkok
    Ho Chi Minh City||VN|10.823|106.630|Asia/Ho_Chi_Minh
    Phnom Penh||KH|11.563|104.916|Asia/Phnom_Penh
    Kuala Lumpur||MY|3.141|101.687|Asia/Kuala_Lumpur
    Singapore||SG|1.290|103.850|Asia/Singapore
    Jakarta||ID|-6.215|106.845|Asia/Jakarta
    Manila||PH|14.604|120.982|Asia/Manila
    Hong Kong||HK|22.278|114.175|Asia/Hong_Kong
    Beijing||CN|39.907|116.397|Asia/Shanghai
    北京|Beijing|CN|39.907|116.397|Asia/Shanghai
    Shanghai||CN|31.222|121.458|Asia/Shanghai
    Ürümqi||CN|43.801|87.601|Asia/Urumqi
    Taipei||TW|25.048|121.532|Asia/Taipei
    Seoul||KR|37.566|126.978|Asia/Seoul
    서울|Seoul|KR|37.566|126.978|Asia/Seoul
    Tokyo||JP|35.6895|139.6917|Asia/Tokyo
    東京|Tokyo|JP|35.6895|139.6917|Asia/Tokyo
    Osaka||JP|34.694|135.502|Asia/Tokyo
    Sapporo||JP|43.064|141.347|Asia/Tokyo
    Ulaanbaatar|Ulan Bator|MN|47.908|106.883|Asia/Ulaanbaatar
    Almaty||KZ|43.250|76.912|Asia/Almaty
    Tashkent||UZ|41.265|69.216|Asia/Tashkent
    Sydney||AU|-33.868|151.207|Australia/Sydney
    Melbourne||AU|-37.814|144.963|Australia/Melbourne
    Perth||AU|-31.952|115.861|Australia/Perth
    Alice Springs||AU|-23.698|133.883|Australia/Darwin
    Hobart||AU|-42.879|147.329|Australia/Hobart
    Auckland||NZ|-36.849|174.763|Pacific/Auckland
    Wellington, NZ|Wellington|NZ|-41.287|174.776|Pacific/Auckland
    Suva||FJ|-18.142|178.442|Pacific/Fiji
    Apia||WS|-13.833|-171.766|Pacific/Apia
    Honolulu||US|21.307|-157.858|Pacific/Honolulu
    Anchorage||US|61.218|-149.900|America/Anchorage
    New York City||US|40.714|-74.006|America/New_York
    New York|New York City|US|40.714|-74.006|America/New_York
    Los Angeles||US|34.052|-118.244|America/Los_Angeles
    Chicago||US|41.850|-87.650|America/Chicago
    Houston||US|29.763|-95.363|America/Chicago
    San Francisco||US|37.775|-122.419|America/Los_Angeles
    Seattle||US|47.606|-122.332|America/Los_Angeles
    Denver||US|39.739|-104.985|America/Denver
    Miami||US|25.774|-80.194|America/New_York
    Boston||US|42.358|-71.060|America/New_York
    Washington, D.C.|Washington|US|38.895|-77.036|America/New_York
    Washington, DC|Washington|US|38.895|-77.036|America/New_York
    Portland, OR|Portland|US|45.523|-122.676|America/Los_Angeles
    Portland, ME|Portland|US|43.661|-70.256|America/New_York
    Springfield, IL|Springfield|US|39.802|-89.644|America/Chicago
    Springfield, Massachusetts|Springfield|US|42.101|-72.590|America/New_York
    Birmingham, Alabama|Birmingham|US|33.521|-86.802|America/Chicago
    Toronto||CA|43.706|-79.399|America/Toronto
    Montréal||CA|45.509|-73.588|America/Toronto
    Vancouver||CA|49.250|-123.119|America/Vancouver
    Québec||CA|46.812|-71.215|America/Toronto
    Iqaluit||CA|63.750|-68.511|America/Iqaluit
    St. John's, Canada|St. John's|CA|47.565|-52.709|America/St_Johns
    Nuuk||GL|64.183|-51.722|America/Nuuk
    Mexico City||MX|19.428|-99.128|America/Mexico_City
    Guadalajara||MX|20.677|-103.347|America/Mexico_City
    Havana||CU|23.133|-82.383|America/Havana
    Bogotá||CO|4.609|-74.082|America/Bogota
    Quito||EC|-0.230|-78.525|America/Guayaquil
    Lima||PE|-12.043|-77.028|America/Lima
    La Paz, Bolivia|La Paz|BO|-16.500|-68.150|America/La_Paz
    Santiago||CL|-33.457|-70.648|America/Santiago
    Ushuaia||AR|-54.811|-68.316|America/Argentina/Ushuaia
    Buenos Aires||AR|-34.613|-58.377|America/Argentina/Buenos_Aires
    Montevideo||UY|-34.903|-56.188|America/Montevideo
    São Paulo||BR|-23.548|-46.636|America/Sao_Paulo
    sao paulo|São Paulo|BR|-23.548|-46.636|America/Sao_Paulo
    Rio de Janeiro||BR|-22.906|-43.183|America/Sao_Paulo
    Manaus||BR|-3.102|-60.025|America/Manaus
    Cairo||EG|30.063|31.250|Africa/Cairo
    Lagos||NG|6.454|3.395|Africa/Lagos
    Nairobi||KE|-1.283|36.817|Africa/Nairobi
    Addis Ababa||ET|9.025|38.747|Africa/Addis_Ababa
    Johannesburg||ZA|-26.202|28.044|Africa/Johannesburg
    Cape Town||ZA|-33.926|18.423|Africa/Johannesburg
    Casablanca||MA|33.588|-7.611|Africa/Casablanca
    Dakar||SN|14.694|-17.444|Africa/Dakar
    Kinshasa||CD|-4.328|15.313|Africa/Kinshasa
    Antananarivo||MG|-18.914|47.536|Indian/Antananarivo
    Jamestown, Saint Helena|Jamestown|SH|-15.924|-5.718|Atlantic/St_Helena
    Stanley, FK|Stanley|FK|-51.700|-57.849|Atlantic/Stanley
    """
}
